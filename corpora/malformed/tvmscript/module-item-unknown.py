@I.ir_module
class M:
    x = 1
