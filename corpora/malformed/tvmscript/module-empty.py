@I.ir_module
class M:
    pass
