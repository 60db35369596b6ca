package dev.decant.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.apache.DecantConsumer;
import dev.decant.kafka.apache.DecantProducer;
import dev.decant.spring.boot.Shop.Seen;
import dev.decant.testkit.KafkaCluster;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.kafka.requestreply.ReplyingKafkaTemplate;

/** An unchanged application of Boot on a broker: only the starter is on its class path. */
@Tag("full")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ApplicationTest {
  private static final int SECONDS = 60;
  private static final List<String> TOPICS = List.of("orders", "batches", "manual", "filtered", "retried", "asked",
      "answers", "idle");

  private static KafkaCluster cluster;
  private static ConfigurableApplicationContext context;
  private static Seen seen;

  @BeforeAll
  static void start() {
    cluster = KafkaCluster.start();
    TOPICS.forEach(topic -> cluster.createTopic(topic, 2));
    context = run(Map.of("spring.kafka.template.observation-enabled", "true",
        "spring.kafka.listener.observation-enabled", "true"));
    seen = context.getBean(Seen.class);
  }

  static ConfigurableApplicationContext run(Map<String, Object> more) {
    return run(cluster.bootstrap(), Shop.class, more);
  }

  static ConfigurableApplicationContext run(String bootstrap, Class<?> beans, Map<String, Object> more) {
    SpringApplication application = new SpringApplication(beans);
    application.setWebApplicationType(WebApplicationType.NONE);
    application.setLogStartupInfo(false);
    application.setBannerMode(Banner.Mode.OFF);
    application.setRegisterShutdownHook(false);
    Map<String, Object> properties = new HashMap<>(Map.of("spring.application.name", "shop",
        "spring.kafka.bootstrap-servers", bootstrap, "spring.kafka.consumer.auto-offset-reset", "earliest",
        "spring.kafka.consumer.group-id", "shop", "spring.main.allow-bean-definition-overriding", "false",
        "management.endpoint.health.show-details", "always"));
    properties.putAll(more);
    application.setDefaultProperties(properties);
    return application.run();
  }

  @AfterAll
  static void stop() {
    if (context != null) {
      context.close();
    }
    cluster.close();
  }

  private static void send(String topic, int from, int to) throws Exception {
    KafkaTemplate<String, String> template = Shop.template(context);
    List<CompletableFuture<?>> sent = new ArrayList<>();
    for (int i = from; i < to; i++) {
      sent.add(template.send(topic, "key-" + i, "value-" + i));
    }
    CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)).get(SECONDS, TimeUnit.SECONDS);
  }

  private static <T> T take(BlockingQueue<T> queue) throws InterruptedException {
    T next = queue.poll(SECONDS, TimeUnit.SECONDS);
    assertThat(next).as("comes within %s s", SECONDS).isNotNull();
    return Objects.requireNonNull(next);
  }

  private static List<String> values(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "value-" + i).toList();
  }

  private static MessageListenerContainer container(String id) {
    return Objects.requireNonNull(context.getBean(KafkaListenerEndpointRegistry.class).getListenerContainer(id));
  }

  @Test
  void recordsComeToAListenerThatIsPausedAndResumed() throws Exception {
    send("orders", 0, 20);
    List<String> first = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      ConsumerRecord<String, String> record = take(seen.orders);
      assertThat(record.key()).isEqualTo(record.value().replace("value", "key"));
      first.add(record.value());
    }
    assertThat(first).containsExactlyInAnyOrderElementsOf(values(0, 20));

    MessageListenerContainer container = container("orders");
    container.pause();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    while (!container.isContainerPaused() && System.nanoTime() < deadline) {
      Thread.onSpinWait();
    }
    send("orders", 20, 30);
    assertThat(seen.orders).isEmpty();
    container.resume();
    List<String> second = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      second.add(take(seen.orders).value());
    }
    assertThat(second).containsExactlyInAnyOrderElementsOf(values(20, 30));
    assertThat(seen.clients).contains(DecantProducer.class)
        .allMatch(type -> DecantProducer.class.isAssignableFrom(type) || DecantConsumer.class.isAssignableFrom(type));
  }

  @Test
  void batchesHaveTheSizeThatTheListenersOwnPropertiesSay() throws Exception {
    send("batches", 0, 12);
    List<String> all = new ArrayList<>();
    while (all.size() < 12) {
      List<String> batch = take(seen.batches);
      assertThat(batch).hasSizeBetween(1, 5);
      all.addAll(batch);
    }
    assertThat(all).containsExactlyInAnyOrderElementsOf(values(0, 12));
  }

  @Test
  void aRecordThatIsNotAcknowledgedComesAgain() throws Exception {
    send("manual", 0, 1);
    assertThat(take(seen.manual)).isEqualTo("value-0");
    assertThat(take(seen.manual)).isEqualTo("value-0");
  }

  @Test
  void filteredRecordsDoNotCome() throws Exception {
    KafkaTemplate<String, String> template = Shop.template(context);
    template.send("filtered", 0, "k", "test-1").get(SECONDS, TimeUnit.SECONDS);
    template.send("filtered", 0, "k", "real").get(SECONDS, TimeUnit.SECONDS);
    assertThat(take(seen.filtered)).isEqualTo("real");
  }

  @Test
  void aRetryableTopicEndsInItsTopicOfDeadLetters() throws Exception {
    send("retried", 0, 1);
    assertThat(take(seen.attempts)).isEqualTo("value-0");
    assertThat(take(seen.attempts)).isEqualTo("value-0");
    assertThat(take(seen.dead)).isEqualTo("value-0");
  }

  @Test
  void aRequestGetsItsReply() throws Exception {
    ReplyingKafkaTemplate<String, String, String> asking = context.getBean(Shop.Asking.class).template();
    assertThat(asking.waitForAssignment(java.time.Duration.ofSeconds(SECONDS))).isTrue();
    assertThat(asking.sendAndReceive(new ProducerRecord<>("asked", "k", "what"), java.time.Duration.ofSeconds(SECONDS))
        .get(SECONDS, TimeUnit.SECONDS).value()).isEqualTo("what!");
  }

  @Test
  void anIdleListenerTellsSo() throws Exception {
    assertThat(take(seen.idle)).startsWith("idle");
  }

  /** Boot's binders and observations see Decant's clients as they see Apache's. */
  @Test
  void metersAndObservationsHaveTheirNames() throws Exception {
    MeterRegistry meters = context.getBean(MeterRegistry.class);
    send("filtered", 0, 1);
    assertThat(take(seen.filtered)).isNotNull();
    for (String name : List.of("kafka.producer.record.send.total",
        "kafka.consumer.fetch.manager.records.consumed.total", "kafka.consumer.fetch.manager.records.lag.max",
        "kafka.consumer.coordinator.assigned.partitions", "kafka.app.info.start.time.ms")) {
      assertThat(meters.find(name).meters()).as(name).isNotEmpty();
    }
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    while (meters.find("spring.kafka.listener").timers().isEmpty() && System.nanoTime() < deadline) {
      Thread.onSpinWait(); // the observation ends after the listener
    }
    assertThat(meters.find("spring.kafka.listener").timers()).isNotEmpty();
    assertThat(meters.find("spring.kafka.template").tag("messaging.destination.name", "filtered").timers())
        .isNotEmpty();
    assertThat(HealthTest.health(context, "decantHealthIndicator")).contains("UP");
  }
}
