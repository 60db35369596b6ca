package dev.decant.buffer;

/**
 * Signals that a write does not fit into the region claimed for it. The caller claims more memory and writes again.
 * Throwing it allocates nothing: there is one instance, without a stack trace.
 */
public final class BufferTooSmallException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  // One instance is enough: it has no trace that could mislead, and its meaning does not depend on where it was
  // created.
  @SuppressWarnings("StaticAssignmentOfThrowable")
  static final BufferTooSmallException INSTANCE = new BufferTooSmallException();

  private BufferTooSmallException() {
    super("what is being written does not fit into its buffer region", null, false, false);
  }
}
