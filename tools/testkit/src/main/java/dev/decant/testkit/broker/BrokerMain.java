package dev.decant.testkit.broker;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;
import org.apache.kafka.common.utils.Exit;

/**
 * The main class of a broker's JVM. It formats the storage if necessary, runs Apache's server, and serves the parent's
 * requests on standard input. When that input ends, the parent has ended: the process removes the cluster's directory
 * and ends at once.
 */
public final class BrokerMain {
  private BrokerMain() {}

  /**
   * Runs a broker.
   *
   * @param arguments the settings file, and the cluster's directory
   * @throws IOException when the settings cannot be read
   */
  public static void main(String[] arguments) throws IOException {
    PrintStream responses = System.out;
    System.setOut(System.err); // the parent would read output of the server as a response
    Path settingsFile = Path.of(arguments[0]);
    Path clusterHome = Path.of(arguments[1]);
    Properties settings = new Properties();
    try (var in = Files.newBufferedReader(settingsFile)) {
      settings.load(in);
    }
    String listener = settings.getProperty("advertised.listeners").split(",", -1)[0];
    TopicAdmin admin = new TopicAdmin(listener.substring(listener.indexOf("//") + 2));
    Thread.ofPlatform().name("parent").daemon(true).start(() -> {
      AdminMain.obey(admin, responses);
      removeAll(clusterHome);
      Runtime.getRuntime().halt(143);
    });
    format(settings, settingsFile);
    kafka.Kafka.main(new String[] {settingsFile.toString()});
  }

  private static void format(Properties settings, Path settingsFile) {
    String id = settings.getProperty("decant.cluster.id");
    List<String> command = new ArrayList<>(
        List.of("format", "--ignore-formatted", "-t", id, "-c", settingsFile.toString()));
    for (String feature : settings.getProperty("decant.features", "").split(",", -1)) {
      if (!feature.isEmpty()) {
        command.addAll(List.of("--feature", feature));
      }
    }
    int code = execute(command.toArray(String[]::new));
    if (code != 0) {
      throw new IllegalStateException("the storage could not be formatted: code " + code);
    }
  }

  private static int execute(String[] command) {
    try {
      return kafka.tools.StorageTool.execute(command, System.err);
    } catch (NoSuchMethodError e) { // in older releases the tool has only a main method
      return executeMain(command);
    }
  }

  private static int executeMain(String[] command) {
    Exit.setExitProcedure((code, message) -> {
      throw new EndOfTool(code);
    });
    try {
      kafka.tools.StorageTool.main(command);
      return 0;
    } catch (EndOfTool e) {
      return e.code;
    } finally {
      Exit.resetExitProcedure();
    }
  }

  /**
   * Replaces the end of this process in the tool. It is an Error, because the tool may catch exceptions as its own
   * failures.
   */
  @SuppressWarnings("serial") // it goes nowhere
  private static final class EndOfTool extends Error {
    final int code;

    EndOfTool(int code) {
      super("the tool ends with code " + code, null, false, false);
      this.code = code;
    }
  }

  private static void removeAll(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException | UncheckedIOException e) {
      // Another node of the cluster removes the directory too, or still writes: a temporary directory may be left.
    }
  }
}
