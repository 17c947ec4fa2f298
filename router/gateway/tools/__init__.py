"""The tools clients see: meta-tools, progressive discovery, direct exposure, and how a call is
executed.
"""
