package app;

/** A program without clients. */
public final class Nothing {
  private Nothing() {}

  /**
   * Does nothing.
   *
   * @param arguments any
   */
  public static void main(String[] arguments) {
    System.out.println("nothing to do");
  }
}
