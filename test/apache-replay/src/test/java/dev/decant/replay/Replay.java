package dev.decant.replay;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * Runs test methods of Apache's with chosen clients, in JVMs of their own. A method during which its JVM ends, or is
 * killed because it hangs, has failed; the other methods of that JVM run in another one.
 */
final class Replay {
  private final Path directory;
  private final int jvms;
  private final int methodsPerJvm;
  private final List<String> properties = new ArrayList<>();
  /** The clients and the parts of Apache's tests that others replace, each with the class that does. */
  private final Map<String, String> replacements;
  private final AtomicInteger started = new AtomicInteger();
  private Duration methodLimit = Duration.ofSeconds(60);

  /**
   * Prepares a replay.
   *
   * @param clients that the tests shall use
   * @param directory takes its files; what it had before is lost
   * @param jvms how many run at a time
   * @param methodsPerJvm how many methods a JVM runs at most
   */
  Replay(Clients clients, Path directory, int jvms, int methodsPerJvm) {
    this.directory = directory;
    this.jvms = jvms;
    this.methodsPerJvm = methodsPerJvm;
    this.replacements = new HashMap<>(clients.replacements());
    properties.add("-Ddev.decant.buffer.checked=true"); // pools poison what is given back
    properties.add("-Ddecant.replay.log=" + System.getProperty("decant.replay.log", "OFF"));
    properties.add("-D" + ReplayMain.WATCHED + "=" + String.join(",", Stream.concat(clients.names().stream(),
        Clients.APACHE.names().stream()).distinct().toList()));
  }

  /** Sets a system property of the JVMs. */
  Replay property(String name, String value) {
    properties.add("-D" + name + "=" + value);
    return this;
  }

  /** Has the tests use fake clusters instead of Kafka's brokers. */
  Replay onFake() {
    replacements.put("org.apache.kafka.common.test.junit.RaftClusterInvocationContext",
        FakeInvocation.class.getName());
    replacements.put("kafka.integration.KafkaServerTestHarness", FakeHarness.class.getName());
    return this;
  }

  /** Sets how long one invocation may take; a minute by default. */
  Replay methodLimit(Duration limit) {
    methodLimit = limit;
    return this;
  }

  /** Runs the methods, and waits until all have ended. */
  Results run(List<TestMethod> methods) throws IOException, InterruptedException {
    emptyDirectory();
    List<String> classPath = classPath();
    Results results = new Results();
    List<Callable<Results>> batches = new ArrayList<>();
    List<TestMethod> sorted = methods.stream().distinct().sorted(Comparator.comparing(TestMethod::line)).toList();
    for (int from = 0; from < sorted.size(); from += methodsPerJvm) {
      List<TestMethod> batch = sorted.subList(from, Math.min(from + methodsPerJvm, sorted.size()));
      batches.add(() -> run(batch, classPath, results));
    }
    try (ExecutorService threads = Executors.newFixedThreadPool(jvms)) {
      for (Future<Results> batch : threads.invokeAll(batches)) {
        batch.get();
      }
    } catch (ExecutionException e) {
      throw new IOException("a JVM could not be run", e.getCause());
    }
    return results;
  }

  /** Runs each of the methods once more, alone in its JVM, and drops what was known of it. */
  void again(List<TestMethod> methods, Results results) throws IOException, InterruptedException {
    List<String> classPath = classPath();
    for (TestMethod method : methods) {
      results.forget(method);
      run(List.of(method), classPath, results);
    }
  }

  /** Empty but for the replaced classes. */
  private void emptyDirectory() throws IOException {
    if (Files.exists(directory)) {
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
    Path switched = Files.createDirectories(switched());
    if (!replacements.isEmpty()) {
      int classes = SwitchedClasses.write(new ClassSwitch(replacements), switched);
      if (classes == 0) {
        throw new IllegalStateException("no class of " + SwitchedClasses.testJars() + " uses Apache's clients");
      }
    }
  }

  private Path switched() {
    return directory.resolve("switched");
  }

  private List<String> classPath() {
    return Stream.concat(Stream.of(switched()), SwitchedClasses.classPath().stream()).map(Path::toString).toList();
  }

  private Results run(List<TestMethod> batch, List<String> classPath, Results results)
      throws IOException, InterruptedException {
    List<TestMethod> left = new ArrayList<>(batch);
    while (!left.isEmpty()) {
      Path own = directory.resolve(String.format(Locale.ROOT, "jvm-%03d", started.incrementAndGet()));
      ReplayJvm jvm = new ReplayJvm(own, classPath, properties, methodLimit);
      String end = jvm.run(left);
      List<Row> rows = ended(jvm.rows(), end);
      results.add(rows);
      results.addLoaded(jvm.loaded());
      results.addLog(jvm.log());
      Set<TestMethod> done = new HashSet<>();
      rows.forEach(row -> done.add(row.method()));
      if (end.isEmpty() || !left.removeIf(done::contains)) {
        results.add(left.stream().filter(method -> !done.contains(method)).map(method -> notRun(method, end)).toList());
        return results;
      }
    }
    return results;
  }

  /** With a failure for each invocation that has not ended. */
  private static List<Row> ended(List<Row> rows, String end) {
    Results last = new Results();
    last.add(rows);
    return last.rows().stream().map(row -> row.outcome() == Row.Outcome.RUNNING
        ? new Row(row.method(), row.invocation(), Row.Outcome.FAILED, row.seconds(), end)
        : row).toList();
  }

  private static Row notRun(TestMethod method, String end) {
    return new Row(method, method.name(), Row.Outcome.FAILED, 0,
        "did not run" + (end.isEmpty() ? ": there is no such method" : ": " + end));
  }
}
