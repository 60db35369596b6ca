package app;

/** A program without clients. */
public final class Nothing {
  private Nothing() {}

  /** Has no effect. */
  public static void main(String[] arguments) {
    System.out.println("nothing to do");
  }
}
