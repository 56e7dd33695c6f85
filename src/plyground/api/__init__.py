"""The public functions of Python: `import plyground as pg`.  The package loads them when they are first asked for."""
