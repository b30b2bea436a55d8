"""The debug adapter: the Debug Adapter Protocol in, the stepping engine (`uopc.stepping`) out."""
