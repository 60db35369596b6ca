package app;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;

/** Runs {@link Main} in a class loader of its own, as fat jars do. */
public final class Launcher {
  private Launcher() {}

  /**
   * Starts.
   *
   * @param arguments directories and jars of the application
   * @throws Exception of the application
   */
  public static void main(String[] arguments) throws Exception {
    URL[] urls = new URL[arguments.length];
    for (int i = 0; i < urls.length; i++) {
      urls[i] = Path.of(arguments[i]).toUri().toURL();
    }
    try (URLClassLoader loader = new URLClassLoader(urls, ClassLoader.getSystemClassLoader())) {
      Thread.currentThread().setContextClassLoader(loader);
      loader.loadClass("app.Main").getMethod("main", String[].class).invoke(null, (Object) new String[0]);
    }
  }
}
