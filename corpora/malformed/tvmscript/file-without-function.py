n = TypeVar("n")
