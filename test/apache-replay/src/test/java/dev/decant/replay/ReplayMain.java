package dev.decant.replay;

import java.io.IOException;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * A JVM that runs test methods by the JUnit Platform. Its rows reach the file while it runs, so that a JVM that is
 * killed has told of all that had ended before.
 */
public final class ReplayMain {
  static final String METHOD_SECONDS = "decant.replay.method.seconds";
  static final String WATCHED = "decant.replay.watched";

  private ReplayMain() {}

  /**
   * Runs the methods one after another, and ends the JVM.
   *
   * @param arguments the file of methods, the file that takes rows, the file that takes the names of loaded classes
   */
  public static void main(String[] arguments)
      throws IOException, ReflectiveOperationException, InterruptedException {
    endWithItsParent();
    startThreadsOfTheJdk();
    Set<TestMethod> methods = Files.readAllLines(Path.of(arguments[0])).stream().map(TestMethod::parse)
        .collect(Collectors.toSet());
    LauncherFactory.create().execute(request(methods), new RowWriter(Path.of(arguments[1])));
    Files.write(Path.of(arguments[2]), loaded(), StandardOpenOption.CREATE_NEW);
    System.exit(0); // threads that a test has left behind do not keep the JVM
  }

  private static LauncherDiscoveryRequest request(Set<TestMethod> methods) {
    return LauncherDiscoveryRequestBuilder.request()
        .selectors(methods.stream().map(TestMethod::className).distinct().map(DiscoverySelectors::selectClass)
            .toList())
        .filters((PostDiscoveryFilter) found -> FilterResult.includedIf(isWanted(found, methods)))
        // an interrupt first, with a dump of all threads; the JVM's own limit ends what does not heed it
        .configurationParameter("junit.jupiter.execution.timeout.testable.method.default",
            Integer.getInteger(METHOD_SECONDS) + " s")
        .configurationParameter("junit.jupiter.execution.timeout.threaddump.enabled", "true")
        .build();
  }

  /** Containers stay: one without a method left in it is dropped. */
  private static boolean isWanted(TestDescriptor found, Set<TestMethod> methods) {
    return found.getSource().filter(MethodSource.class::isInstance).map(MethodSource.class::cast)
        .map(source -> methods.contains(new TestMethod(source.getClassName(), source.getMethodName()))).orElse(true);
  }

  /** Which of the watched classes any code has used so far; the JVM's flags open the class loader. */
  private static List<String> loaded() throws ReflectiveOperationException {
    Method find = ClassLoader.class.getDeclaredMethod("findLoadedClass", String.class);
    find.setAccessible(true);
    ClassLoader loader = ReplayMain.class.getClassLoader();
    List<String> names = List.of(System.getProperty(WATCHED, "").split(",", -1));
    List<String> loaded = new ArrayList<>();
    for (String name : names) {
      if (find.invoke(loader, name) != null) {
        loaded.add(name);
      }
    }
    return loaded;
  }

  /**
   * Apache's tests compare the threads before and after, and take a thread that the JDK keeps for all virtual threads
   * for a leak of the test that starts it first: schedulers, and pollers of sockets.
   */
  private static void startThreadsOfTheJdk() throws IOException, InterruptedException {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread reader = Thread.ofVirtual().start(() -> {
        try (Socket socket = new Socket(silent.getInetAddress(), silent.getLocalPort())) {
          socket.setSoTimeout(10);
          int nothing = socket.getInputStream().read();
          throw new IllegalStateException("a silent server sends " + nothing);
        } catch (IOException e) {
          // nothing came in time, as it should be
        }
      });
      reader.join();
    }
  }

  /** The parent holds this JVM's input open, and writes nothing to it. */
  private static void endWithItsParent() {
    Thread.ofPlatform().daemon().name("replay-parent").start(() -> {
      try {
        while (System.in.read() >= 0) {
          // nothing is expected
        }
      } catch (IOException e) {
        // the same as the end
      }
      Runtime.getRuntime().halt(3);
    });
  }
}
