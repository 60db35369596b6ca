package dev.decant.spring.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.apache.DecantConsumer;
import dev.decant.kafka.apache.DecantProducer;
import dev.decant.testkit.junit.KafkaClusterExtension;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.event.EventListener;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.event.ConsumerPausedEvent;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.kafka.support.SendResult;

/** Templates and annotated listeners. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ListenerTest {
  private static final int SECONDS = 40;
  private static final int PARTITIONS = 3;

  @RegisterExtension
  static final KafkaClusterExtension KAFKA = KafkaClusterExtension.shared();

  @BeforeAll
  static void createTopics() {
    List.of("spring-orders", "spring-batches", "spring-pauses")
        .forEach(topic -> KAFKA.createTopic(topic, PARTITIONS));
  }

  static final class Orders {
    final BlockingQueue<ConsumerRecord<String, String>> received = new LinkedBlockingQueue<>();

    @KafkaListener(topics = "spring-orders", groupId = "spring-orders", concurrency = "2")
    void receive(ConsumerRecord<String, String> record) {
      received.add(record);
    }
  }

  @Test
  void aListenerReceivesWhatATemplateSends() throws Exception {
    try (AnnotationConfigApplicationContext context = KafkaBeans.start(KAFKA.bootstrap(), Orders.class)) {
      KafkaTemplate<String, String> template = template(context);
      List<CompletableFuture<SendResult<String, String>>> sent = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        ProducerRecord<String, String> order = new ProducerRecord<>("spring-orders", i % PARTITIONS, "key-" + i,
            "order-" + i);
        order.headers().add("number", Integer.toString(i).getBytes(UTF_8));
        sent.add(template.send(order));
      }

      List<ConsumerRecord<String, String>> received = take(context.getBean(Orders.class).received, 100);
      assertThat(received).extracting(ConsumerRecord::value).containsExactlyInAnyOrderElementsOf(
          IntStream.range(0, 100).mapToObj(i -> "order-" + i).toList());
      for (ConsumerRecord<String, String> record : received) {
        int number = Integer.parseInt(new String(record.headers().lastHeader("number").value(), UTF_8));
        assertThat(record.key()).isEqualTo("key-" + number);
        assertThat(record.partition()).isEqualTo(number % PARTITIONS);
        assertThat(sent.get(number).get(SECONDS, TimeUnit.SECONDS).getRecordMetadata().offset())
            .isEqualTo(record.offset());
      }
      KafkaBeans.Clients clients = context.getBean(KafkaBeans.Clients.class);
      assertThat(clients.producers).hasSize(1).hasOnlyElementsOfType(DecantProducer.class);
      assertThat(clients.consumers).hasSize(2).hasOnlyElementsOfType(DecantConsumer.class);
    }
  }

  static final class Batches {
    final BlockingQueue<String> received = new LinkedBlockingQueue<>();

    @KafkaListener(id = "batches", topics = "spring-batches", batch = "true")
    void receive(List<String> values) {
      received.addAll(values);
    }
  }

  @Test
  void aContainerThatStartsAgainGoesOnWhereItCommitted() throws Exception {
    try (AnnotationConfigApplicationContext context = KafkaBeans.start(KAFKA.bootstrap(), Batches.class)) {
      BlockingQueue<String> received = context.getBean(Batches.class).received;
      MessageListenerContainer container = container(context, "batches");

      send(context, "spring-batches", 0, 50);
      assertThat(take(received, 50)).doesNotHaveDuplicates().contains("value-0", "value-49");
      stop(container);
      send(context, "spring-batches", 50, 60);
      container.start();

      assertThat(take(received, 10)).containsExactlyInAnyOrderElementsOf(
          IntStream.range(50, 60).mapToObj(i -> "value-" + i).toList());
      assertThat(Oracle.committed(KAFKA.bootstrap(), "batches", partitions("spring-batches"))).hasSize(PARTITIONS);
    }
  }

  static final class Pauses {
    final BlockingQueue<String> received = new LinkedBlockingQueue<>();
    final CountDownLatch paused = new CountDownLatch(1);

    @KafkaListener(id = "pauses", topics = "spring-pauses")
    void receive(String value) {
      received.add(value);
    }

    @EventListener
    void onPause(ConsumerPausedEvent event) {
      paused.countDown();
    }
  }

  @Test
  void aPausedContainerReceivesNothingAndLosesNothing() throws Exception {
    try (AnnotationConfigApplicationContext context = KafkaBeans.start(KAFKA.bootstrap(), Pauses.class)) {
      Pauses pauses = context.getBean(Pauses.class);
      MessageListenerContainer container = container(context, "pauses");
      send(context, "spring-pauses", 0, 1);
      take(pauses.received, 1);

      container.pause();
      assertThat(pauses.paused.await(SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThat(container.isContainerPaused()).isTrue();
      send(context, "spring-pauses", 1, 20);
      assertThat(pauses.received).isEmpty();
      container.resume();

      assertThat(take(pauses.received, 19)).doesNotHaveDuplicates().contains("value-1", "value-19");
      assertThat(container.getAssignedPartitions()).containsExactlyInAnyOrder(partitions("spring-pauses"));
    }
  }

  private static TopicPartition[] partitions(String topic) {
    return IntStream.range(0, PARTITIONS).mapToObj(p -> new TopicPartition(topic, p)).toArray(TopicPartition[]::new);
  }

  private static KafkaTemplate<String, String> template(AnnotationConfigApplicationContext context) {
    return context.getBean(KafkaBeans.Sender.class).template();
  }

  private static MessageListenerContainer container(AnnotationConfigApplicationContext context, String id) {
    MessageListenerContainer container = context.getBean(KafkaListenerEndpointRegistry.class).getListenerContainer(id);
    assertThat(container).isNotNull();
    return Objects.requireNonNull(container);
  }

  private static void stop(MessageListenerContainer container) throws InterruptedException {
    CountDownLatch stopped = new CountDownLatch(1);
    container.stop(stopped::countDown);
    assertThat(stopped.await(SECONDS, TimeUnit.SECONDS)).isTrue();
  }

  private static void send(AnnotationConfigApplicationContext context, String topic, int from, int to)
      throws Exception {
    KafkaTemplate<String, String> template = template(context);
    List<CompletableFuture<?>> sent = new ArrayList<>();
    for (int i = from; i < to; i++) {
      sent.add(template.send(topic, "key-" + i, "value-" + i));
    }
    CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)).get(SECONDS, TimeUnit.SECONDS);
  }

  private static <T> List<T> take(BlockingQueue<T> queue, int count) throws InterruptedException {
    List<T> taken = new ArrayList<>();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    while (taken.size() < count) {
      T next = queue.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
      assertThat(next).as("%s of %s have come", taken.size(), count).isNotNull();
      taken.add(next);
    }
    return taken;
  }
}
