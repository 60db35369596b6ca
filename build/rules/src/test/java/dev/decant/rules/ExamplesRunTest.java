package dev.decant.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.decant.fake.FakeCluster;
import dev.decant.fake.StoredRecord;
import dev.decant.kafka.OffsetAndMetadata;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.serialization.Serdes;
import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** Each example runs as its reader starts it, in a JVM of its own, and does what its page says. */
@Tag("full")
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class ExamplesRunTest {
  @TempDir
  static Path classes;

  private FakeCluster kafka;
  private final List<ExampleProcess> processes = new ArrayList<>();

  @BeforeAll
  static void compile() throws IOException {
    Examples.compile(classes);
  }

  @BeforeEach
  void start() {
    kafka = FakeCluster.builder().topic("orders", 1).topic("orders-dead", 1).topic("bills", 1).topic("fix-orders", 1)
        .topic("fix-executions", 1).start();
  }

  @AfterEach
  void stop() {
    processes.forEach(ExampleProcess::close);
    kafka.close();
  }

  private ExampleProcess run(String main, Map<String, String> environment, String... options) throws IOException {
    Map<String, String> all = new HashMap<>(Map.of("KAFKA", kafka.bootstrap(), "PORT", "0", "FIX_PORT", "0",
        "PROBES_PORT", "0", "FIX_STORE", Files.createTempDirectory(classes, "store").toString()));
    all.putAll(environment);
    ExampleProcess process = ExampleProcess.start(classes, main, List.of(options), all);
    processes.add(process);
    return process;
  }

  private ExampleProcess run(String main) throws IOException {
    return run(main, Map.of());
  }

  private void order(String... values) throws InterruptedException {
    try (KafkaClient client = KafkaClient.connect(kafka.bootstrap());
        Producer<String, String> orders = client.producer(Serdes.string(), Serdes.string()).topic("orders").open()) {
      for (int i = 0; i < values.length; i++) {
        orders.sendAndWait("customer-" + i, values[i]);
      }
    }
  }

  private long committed(String group) throws InterruptedException {
    TopicPartition partition = new TopicPartition("orders", 0);
    try (KafkaClient client = KafkaClient.connect(kafka.bootstrap());
        Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string()).group(group)
            .autoCommit(false).open()) {
      Map<TopicPartition, OffsetAndMetadata> offsets = consumer.committed(partition);
      return Objects.requireNonNull(offsets.get(partition), "the group has committed nothing").offset();
    }
  }

  private static String portOf(String line) {
    return line.replaceAll("\\D*(\\d+).*", "$1");
  }

  @Test
  void theWorkerCommitsWhatItHasHandledAtSigterm() throws IOException, InterruptedException {
    order("apples", "pears");
    ExampleProcess worker = run("com.example.worker.Worker");
    worker.await("handled customer-");
    worker.await("handled customer-");

    assertThat(worker.terminate()).contains("handled customer-0: apples", "handled customer-1: pears", "stopped");
    assertThat(committed("workers")).isEqualTo(2);
  }

  @Test
  void theRetryingWorkerRepeatsAndWritesDeadLetters() throws IOException, InterruptedException {
    order("12", "", "many");
    ExampleProcess worker = run("com.example.retries.RetryingWorker");
    worker.await("goes to the dead letters");
    worker.await("goes to the dead letters");
    List<String> output = worker.terminate();

    assertThat(output).contains("billed customer-0: 12").anyMatch(line -> line.contains("offset 1, attempt 3"))
        .noneMatch(line -> line.contains("offset 2, attempt 2")).endsWith("stopped");
    assertThat(kafka.log("orders-dead", 0).records()).extracting(StoredRecord::keyText)
        .containsExactlyInAnyOrder("customer-1", "customer-2");
    assertThat(committed("retrying-workers")).isEqualTo(3);
  }

  @Test
  void theCopyWritesEachRecordAndItsOffsetInOneTransaction() throws IOException, InterruptedException {
    order("apples", "pears");
    ExampleProcess copy = run("com.example.copy.Copy");
    copy.await("committed up to {orders-0=");
    List<String> output = copy.terminate();

    assertThat(output).endsWith("stopped");
    assertThat(kafka.log("bills", 0).texts()).containsExactly("APPLES", "PEARS");
    assertThat(kafka.log("bills", 0).records()).allMatch(StoredRecord::isTransactional);
    assertThat(kafka.log("bills", 0).lastStable()).isEqualTo(kafka.log("bills", 0).logEnd());
    assertThat(committed("billing")).isEqualTo(2);
  }

  @Test
  void theServiceRespondsWhenTheRecordIsStored() throws IOException, InterruptedException {
    ExampleProcess service = run("com.example.http.OrderService");
    String address = "http://localhost:" + portOf(service.await("listens on port"));
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpResponse<String> stored = post(http, address + "/orders/customer-1");
      assertThat(stored.body()).isEqualTo("{\"partition\":0,\"offset\":0}\n");
      assertThat(stored.statusCode()).isEqualTo(201);
      assertThat(get(http, address + "/ready").statusCode()).isEqualTo(200);
      assertThat(get(http, address + "/orders/customer-1").statusCode()).isEqualTo(405);

      kafka.broker(1).kill();
      HttpResponse<String> refused = post(http, address + "/orders/customer-1");
      assertThat(refused.statusCode()).isEqualTo(503);
      assertThat(get(http, address + "/ready").statusCode()).isEqualTo(503);
      assertThat(get(http, address + "/live").statusCode()).isEqualTo(200);
    }
    kafka.broker(1).restart();

    assertThat(service.terminate()).endsWith("stopped");
    assertThat(kafka.log("orders", 0).texts()).containsExactly("apples");
  }

  private static HttpResponse<String> post(HttpClient http, String address) throws IOException, InterruptedException {
    return http.send(HttpRequest.newBuilder(URI.create(address)).POST(HttpRequest.BodyPublishers.ofString("apples"))
        .build(), HttpResponse.BodyHandlers.ofString());
  }

  private static HttpResponse<String> get(HttpClient http, String address) throws IOException, InterruptedException {
    return http.send(HttpRequest.newBuilder(URI.create(address)).build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void theUnchangedProgramRunsOnDecantUnderTheAgent() throws IOException, InterruptedException {
    Path agent;
    try (Stream<Path> jars = Files.list(Examples.ROOT.resolve("integrations/agent-all/target"))) {
      agent = jars.filter(jar -> jar.getFileName().toString().matches("decant-agent-all-[\\d.]+(-SNAPSHOT)?\\.jar"))
          .findFirst().orElseThrow(() -> new AssertionError("agent-all is no jar yet: run verify, not test"));
    }
    ExampleProcess program = run("com.example.unchanged.Orders", Map.of(), "-javaagent:" + agent.toRealPath());
    List<String> output = program.awaitEnd(0);

    assertThat(output).anyMatch(line -> line.contains("decant-agent") && line.contains(" is on"))
        .filteredOn(line -> line.startsWith("read customer-")).hasSize(10);
    assertThat(kafka.log("orders", 0).records()).hasSize(10);
  }

  @Test
  void theVenueFillsTheOrdersOfTheBuyer() throws IOException, InterruptedException {
    ExampleProcess venue = run("com.example.fix.Venue");
    String port = portOf(venue.await("listens on port"));
    List<String> output = run("com.example.fix.Buyer", Map.of("FIX_PORT", port)).awaitEnd(0);

    assertThat(output).containsAll(filled());
    venue.await("logged out: ");
    assertThat(venue.terminate()).anyMatch(line -> line.startsWith("stopped: "));
  }

  private static List<String> filled() {
    return IntStream.range(0, 10).mapToObj(i -> "order ORDER-" + i + " is filled by E-" + (i + 1)).toList();
  }

  @Test
  void theGatewayBringsOrdersToKafkaAndExecutionsBack() throws IOException, InterruptedException {
    ExampleProcess exchange = run("com.example.gateway.Exchange");
    exchange.await("matches orders");
    ExampleProcess gateway = run("com.example.gateway.Gateway");
    String line = gateway.await("listens on port");
    List<String> output = run("com.example.fix.Buyer", Map.of("FIX_PORT", portOf(line))).awaitEnd(0);

    assertThat(output).filteredOn(text -> text.contains("is filled by")).hasSize(10);
    assertThat(kafka.log("fix-orders", 0).texts()).hasSize(10).contains("ORDER-9,DECANT,1,100");
    assertThat(kafka.log("fix-executions", 0).texts()).hasSize(10);
    try (HttpClient http = HttpClient.newHttpClient()) {
      String probes = "http://localhost:" + line.substring(line.lastIndexOf(' ') + 1);
      assertThat(get(http, probes + "/ready").statusCode()).isEqualTo(200);
      assertThat(get(http, probes + "/metrics").body()).contains("decant_fix_up{", "decant_kafka_ready{");
    }
    assertThat(gateway.terminate()).anyMatch(text -> text.startsWith("stopped: "));
    assertThat(exchange.terminate()).endsWith("stopped");
  }

  @Test
  void testsWithoutABrokerPass() throws IOException, ClassNotFoundException {
    SummaryGeneratingListener summary = new SummaryGeneratingListener();
    try (URLClassLoader loader = new URLClassLoader(new URL[] {classes.toUri().toURL()},
        ExamplesRunTest.class.getClassLoader())) {
      LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
          .selectors(selectClass(loader.loadClass("com.example.desk.OrderDeskTest")),
              selectClass(loader.loadClass("com.example.desk.WithoutExtensionTest")))
          .build();
      LauncherFactory.create().execute(request, summary);
    }
    assertThat(summary.getSummary().getFailures()).isEmpty();
    assertThat(summary.getSummary().getTestsSucceededCount()).isEqualTo(4);
  }

  /** One line says what is missing, without a trace. */
  @Test
  void withoutABrokerEachSaysSo() throws IOException, InterruptedException {
    Map<String, String> nobody = Map.of("KAFKA", "localhost:1");
    ExampleProcess worker = run("com.example.worker.Worker", nobody);
    List<ExampleProcess> others = new ArrayList<>();
    for (String main : List.of("com.example.retries.RetryingWorker", "com.example.copy.Copy",
        "com.example.http.OrderService", "com.example.gateway.Gateway", "com.example.gateway.Exchange",
        "com.example.unchanged.Orders")) {
      others.add(run(main, nobody));
    }
    others.add(run("com.example.fix.Buyer", Map.of("FIX_PORT", "1")));

    assertThat(worker.await("The worker waits: ")).contains("no broker");
    worker.terminate();
    for (ExampleProcess other : others) {
      assertThat(other.awaitEnd(1)).filteredOn(line -> line.startsWith("The ")).hasSize(1);
      assertThat(other.awaitEnd(1)).noneMatch(line -> line.startsWith("\tat "));
    }
  }

  /** The user of an example has mistyped an environment variable, and gets a line about it. */
  @Test
  void withAnAddressThatIsNoneEachSaysSo() throws IOException, InterruptedException {
    List<ExampleProcess> all = new ArrayList<>();
    for (String main : List.of("com.example.worker.Worker", "com.example.retries.RetryingWorker",
        "com.example.copy.Copy", "com.example.http.OrderService", "com.example.gateway.Gateway",
        "com.example.gateway.Exchange")) {
      all.add(run(main, Map.of("KAFKA", "localhost")));
    }
    for (ExampleProcess each : all) {
      assertThat(each.awaitEnd(1)).singleElement().asString().contains("'localhost' is not of the form host:port");
    }
  }
}
