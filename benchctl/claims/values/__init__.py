"""What a page may say beside its text, and what a project names: values, ratchets, and whether anybody uses them."""
