"""`heuristic`: Cavendish's advice made code. The agent is in agent.py, each kind of decision in a file of its own."""
