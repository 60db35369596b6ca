package dev.decant.buffer;

/**
 * A write does not fit into the region that was claimed for it. This is a signal to claim more memory and write again,
 * so there is one instance, without a stack trace: throwing it allocates nothing.
 */
public final class BufferTooSmallException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  // it carries no trace that could mislead, and its meaning does not depend on where it was created
  @SuppressWarnings("StaticAssignmentOfThrowable")
  static final BufferTooSmallException INSTANCE = new BufferTooSmallException();

  private BufferTooSmallException() {
    super("what is being written does not fit into its buffer region", null, false, false);
  }
}
