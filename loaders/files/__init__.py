"""Protection against hostile files: errors of libraries, limits on one load, text that is safe to
print.
"""
