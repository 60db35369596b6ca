package app;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Runs {@link Copying} in a class loader of its own, as servers and plugin directories do. */
public final class Launcher {
  private Launcher() {}

  /**
   * Starts.
   *
   * @param arguments jars and directories of the application, then {@code --} and its own arguments
   * @throws Exception of the application
   */
  public static void main(String[] arguments) throws Exception {
    int count = 0;
    while (!arguments[count].equals("--")) {
      count++;
    }
    URL[] urls = new URL[count];
    for (int i = 0; i < count; i++) {
      urls[i] = Path.of(arguments[i]).toUri().toURL();
    }
    try (URLClassLoader loader = new URLClassLoader(urls, ClassLoader.getSystemClassLoader())) {
      Thread.currentThread().setContextClassLoader(loader);
      loader.loadClass("app.Copying").getMethod("main", String[].class).invoke(null,
          (Object) Stream.of(arguments).skip(count + 1).toArray(String[]::new));
    }
  }
}
