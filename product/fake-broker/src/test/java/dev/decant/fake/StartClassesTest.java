package dev.decant.fake;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ClassLoadingMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests the number of classes that the start of a JVM's first cluster loads, which is its main cost. The start loaded
 * the messages of all APIs, and 1,100 classes in JDK 25; classes of a first request do not count.
 */
@Timeout(120)
class StartClassesTest {
  private static final int MOST_CLASSES = 800;

  /** Prints how many classes the start of the first cluster loads, with those that the JVM makes for lambdas. */
  static final class InAJvm {
    private InAJvm() {}

    public static void main(String[] arguments) {
      ClassLoadingMXBean classes = ManagementFactory.getClassLoadingMXBean();
      long before = classes.getTotalLoadedClassCount();
      try (FakeCluster cluster = FakeCluster.builder().topic("orders", 1).start()) {
        long loaded = classes.getTotalLoadedClassCount() - before;
        System.out.println(loaded + " classes for a " + cluster);
      }
    }
  }

  @Test
  void aStartLoadsFewClasses() throws Exception {
    String path = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    Process process = new ProcessBuilder(
        List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1", "-cp", path, InAJvm.class.getName()))
        .redirectErrorStream(true).start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(printed).isZero();
    assertThat(Integer.parseInt(printed.substring(0, printed.indexOf(' ')))).as(printed).isBetween(1, MOST_CLASSES);
  }
}
