@T.inline
def main(n: T.int32):
    pass
