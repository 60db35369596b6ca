package dev.decant.replay;

/**
 * A test method of Apache's, with all its invocations.
 *
 * @param className of the class that runs it, which may have inherited it
 * @param name of the method, without parameters
 */
record TestMethod(String className, String name) {
  /** Parses a line that {@link #line} has written. */
  static TestMethod parse(String line) {
    int hash = line.indexOf('#');
    if (hash < 1 || hash == line.length() - 1) {
      throw new IllegalArgumentException("no CLASS#METHOD: " + line);
    }
    return new TestMethod(line.substring(0, hash), line.substring(hash + 1));
  }

  String line() {
    return className + "#" + name;
  }

  /** The name of the class without its package, and the method. */
  @Override
  public String toString() {
    return className.substring(className.lastIndexOf('.') + 1) + "." + name;
  }
}
