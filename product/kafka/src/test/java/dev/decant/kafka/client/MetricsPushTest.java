package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.broker.Request;
import dev.decant.kafka.broker.Script;
import dev.decant.kafka.broker.ScriptedBroker;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.event.ErrorKind;
import dev.decant.kafka.event.ErrorListener;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.GetTelemetrySubscriptionsRequest;
import dev.decant.kafka.protocol.message.GetTelemetrySubscriptionsResponse;
import dev.decant.kafka.protocol.message.PushTelemetryRequest;
import dev.decant.kafka.protocol.message.PushTelemetryResponse;
import dev.decant.kafka.record.CompressionType;
import dev.decant.kafka.serialization.Serdes;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.apache.kafka.shaded.io.opentelemetry.proto.common.v1.KeyValue;
import org.apache.kafka.shaded.io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import org.apache.kafka.shaded.io.opentelemetry.proto.metrics.v1.Metric;
import org.apache.kafka.shaded.io.opentelemetry.proto.metrics.v1.MetricsData;
import org.apache.kafka.shaded.io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests metrics that a broker requests (KIP-714), and each way in which it may refuse them. */
class MetricsPushTest extends AgainstScriptedBroker {
  private static final Uuid ID = new Uuid(3, 4);
  private static final String SENT = "org.apache.kafka.producer.record.send.total";
  private static final int NEVER = 3_600_000;

  MetricsPushTest() {
    super(1, LATER);
  }

  private static GetTelemetrySubscriptionsResponse subscription(int id, int intervalMillis, String... prefixes) {
    return new GetTelemetrySubscriptionsResponse().clientInstanceId(ID).subscriptionId(id)
        .pushIntervalMs(intervalMillis).telemetryMaxBytes(100_000).requestedMetrics(List.of(prefixes));
  }

  private static Script refuse(ErrorCode code) {
    return exchange -> exchange.answer(new PushTelemetryResponse().errorCode(code.code())::write);
  }

  private static Script refuseSubscription(ErrorCode code) {
    return exchange -> exchange.answer(new GetTelemetrySubscriptionsResponse().errorCode(code.code())
        .clientInstanceId(ID)::write);
  }

  private static PushTelemetryRequest push(Request request) {
    return (PushTelemetryRequest) request.body();
  }

  private PushTelemetryRequest push(int number) throws InterruptedException {
    return push(broker.await(ApiKey.PUSH_TELEMETRY, number).get(number - 1));
  }

  private GetTelemetrySubscriptionsRequest ask(int number) throws InterruptedException {
    return (GetTelemetrySubscriptionsRequest) broker.await(ApiKey.GET_TELEMETRY_SUBSCRIPTIONS, number)
        .get(number - 1).body();
  }

  private static MetricsData data(PushTelemetryRequest request) {
    byte[] bytes = new byte[request.metrics().remaining()];
    request.metrics().get(request.metrics().position(), bytes);
    try {
      return MetricsData.parseFrom(request.compressionType() == CompressionType.GZIP.id()
          ? new GZIPInputStream(new ByteArrayInputStream(bytes)).readAllBytes()
          : bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Stream<Metric> metrics(PushTelemetryRequest request) {
    return data(request).getResourceMetricsList().stream().flatMap(r -> r.getScopeMetricsList().stream())
        .flatMap(s -> s.getMetricsList().stream());
  }

  private static List<String> names(PushTelemetryRequest request) {
    return metrics(request).map(Metric::getName).distinct().toList();
  }

  private static double sum(PushTelemetryRequest request, String name) {
    return metrics(request).filter(m -> m.getName().equals(name)).findFirst().orElseThrow().getSum().getDataPoints(0)
        .getAsDouble();
  }

  private void send(int records) throws InterruptedException {
    try (Producer<String, String> producer = producer(LATER)) {
      for (int i = 0; i < records; i++) {
        producer.sendAndWait(null, "a");
      }
    }
  }

  private CompletableFuture<Throwable> refusal() {
    CompletableFuture<Throwable> recorded = new CompletableFuture<>();
    client.events().watchErrors(new ErrorListener() {
      @Override
      public void onError(ErrorKind kind, String where, Throwable cause) {
        if (kind == ErrorKind.METRICS_REFUSED) {
          recorded.complete(cause);
        }
      }
    });
    return recorded;
  }

  @Test
  void brokerThatDoesNotOfferItIsNotAsked() throws InterruptedException {
    send(3);
    client.close();
    assertThat(broker.requests(ApiKey.GET_TELEMETRY_SUBSCRIPTIONS)).isEmpty();
    assertThat(broker.requests(ApiKey.PUSH_TELEMETRY)).isEmpty();
  }

  @Test
  void nothingIsAskedIfTheSettingIsOff() throws InterruptedException {
    broker.state().telemetry(subscription(1, 100, ""));
    try (KafkaClient off = KafkaClient.builder(address()).enableMetricsPush(false).build();
        Producer<String, String> producer = off.producer(Serdes.string(), Serdes.string()).topic(ScriptedBroker.TOPIC)
            .open()) {
      producer.sendAndWait(null, "a");
      assertThatThrownBy(() -> off.clientInstanceId(LATER)).isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("enable.metrics.push");
    }
    assertThat(broker.requests(ApiKey.GET_TELEMETRY_SUBSCRIPTIONS)).isEmpty();
  }

  @Test
  void metricsThatTheBrokerAsksForArePushedEachInterval() throws InterruptedException {
    broker.state().telemetry(subscription(7, 100, ""));
    send(5);
    assertThat(ask(1).clientInstanceId()).isEqualTo(Uuid.ZERO);
    assertThat(push(1).clientInstanceId()).isEqualTo(ID);
    assertThat(push(1).subscriptionId()).isEqualTo(7);
    assertThat(push(1).terminating()).isFalse();
    List<Request> seen = broker.await(ApiKey.PUSH_TELEMETRY, all -> all.stream()
        .anyMatch(r -> names(push(r)).contains(SENT) && sum(push(r), SENT) == 5));
    PushTelemetryRequest last = push(seen.getLast());
    assertThat(names(last)).contains("org.apache.kafka.producer.connection.creation.total",
        "org.apache.kafka.producer.connection.creation.rate").doesNotContain(
            "org.apache.kafka.consumer.connection.creation.total");
    assertThat(metrics(last).filter(m -> m.getName().equals(SENT)).findFirst().orElseThrow().getSum()
        .getAggregationTemporality()).isEqualTo(AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE);
    assertThat(broker.requests(ApiKey.GET_TELEMETRY_SUBSCRIPTIONS)).hasSize(1);
  }

  @Test
  void durationsAreMeasuredOnceTheBrokerAsks() throws InterruptedException {
    broker.state().telemetry(subscription(1, NEVER, ""));
    try (Producer<String, String> producer = producer(LATER)) {
      assertThat(client.clientInstanceId(LATER)).isEqualTo(ID);
      producer.sendAndWait(null, "a");
      producer.sendAndWait(null, "b");
    }
    client.close();
    assertThat(names(push(1))).contains("org.apache.kafka.producer.record.queue.time.avg",
        "org.apache.kafka.producer.record.queue.time.max", "org.apache.kafka.producer.request.latency.avg",
        "org.apache.kafka.producer.produce.throttle.time.avg", "org.apache.kafka.producer.node.request.latency.max");
    Metric node = metrics(push(1)).filter(m -> m.getName().endsWith("node.request.latency.avg")).findFirst()
        .orElseThrow();
    assertThat(node.getGauge().getDataPoints(0).getAttributesList()).extracting(KeyValue::getKey, a -> a.getValue()
        .getStringValue()).containsExactly(tuple("node_id", "node-1"));
    assertThat(node.getGauge().getDataPoints(0).getAsDouble()).isPositive();
  }

  @Test
  void onlyRequestedPrefixesArePushed() throws InterruptedException {
    broker.state().telemetry(subscription(1, 100, "org.apache.kafka.producer.record.send"));
    send(1);
    assertThat(names(push(1))).containsExactlyInAnyOrder(SENT, "org.apache.kafka.producer.record.send.rate");
  }

  @Test
  void brokerThatWantsNothingIsAskedAgainAndGetsNothing() throws InterruptedException {
    broker.state().telemetry(subscription(1, 100));
    send(1);
    assertThat(ask(3).clientInstanceId()).isEqualTo(ID);
    client.close();
    assertThat(broker.requests(ApiKey.PUSH_TELEMETRY)).isEmpty();
  }

  @Test
  void deltasAddUpAndARefusedOneComesWithTheNext() throws InterruptedException {
    broker.state()
        .telemetry(subscription(1, 100, SENT).deltaTemporality(true));
    broker.next(ApiKey.PUSH_TELEMETRY, refuse(ErrorCode.THROTTLING_QUOTA_EXCEEDED));
    try (Producer<String, String> producer = producer(LATER)) {
      producer.sendAndWait(null, "a");
      producer.sendAndWait(null, "b");
      broker.await(ApiKey.PUSH_TELEMETRY, 2);
      producer.sendAndWait(null, "c");
      List<Request> all = broker.await(ApiKey.PUSH_TELEMETRY, seen -> taken(seen) >= 3);
      assertThat(taken(all)).isEqualTo(3);
      assertThat(metrics(push(all.getLast())).findFirst().orElseThrow().getSum().getAggregationTemporality())
          .isEqualTo(AggregationTemporality.AGGREGATION_TEMPORALITY_DELTA);
    }
  }

  /** Sums the pushes without the first one, which the broker refused. */
  private static double taken(List<Request> pushes) {
    return pushes.stream().skip(1).mapToDouble(r -> sum(push(r), SENT)).sum();
  }

  @Test
  void acceptedCompressionIsUsed() throws InterruptedException {
    broker.state().telemetry(subscription(1, 100, "").acceptedCompressionTypes(List.of((byte) 77,
        (byte) CompressionType.ZSTD.id(), (byte) CompressionType.GZIP.id())));
    send(1);
    // there is no codec for the others
    assertThat((int) push(1).compressionType()).isEqualTo(CompressionType.GZIP.id());
    assertThat(names(push(1))).contains(SENT);
  }

  @Test
  void refusedCompressionIsNotUsedAgainAndTheBrokerIsAskedAtOnce() throws InterruptedException {
    broker.state().telemetry(subscription(1, 100, "")
        .acceptedCompressionTypes(List.of((byte) CompressionType.GZIP.id())));
    broker.next(ApiKey.PUSH_TELEMETRY, refuse(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE));
    send(1);
    ask(2);
    assertThat((int) push(2).compressionType()).isZero();
    assertThat(names(push(2))).contains(SENT);
  }

  @Test
  void unknownSubscriptionIsRequestedAtOnce() throws InterruptedException {
    broker.state().telemetry(subscription(1, 100, ""));
    broker.next(ApiKey.PUSH_TELEMETRY, exchange -> {
      broker.state().telemetry(subscription(2, 100, "").clientInstanceId(Uuid.ZERO));
      refuse(ErrorCode.UNKNOWN_SUBSCRIPTION_ID).run(exchange);
    });
    send(1);
    assertThat(ask(2).clientInstanceId()).isEqualTo(ID);
    assertThat(push(2).subscriptionId()).isEqualTo(2);
    assertThat(push(2).clientInstanceId()).isEqualTo(ID);
  }

  /** A client that asked at once each time would send without end. */
  @Test
  void brokerThatNeverKnowsTheSubscriptionIsAskedTwice() throws InterruptedException {
    broker.state().telemetry(subscription(1, 100, ""));
    broker.always(ApiKey.GET_TELEMETRY_SUBSCRIPTIONS, refuseSubscription(ErrorCode.UNKNOWN_SUBSCRIPTION_ID));
    try (Producer<String, String> producer = producer(LATER)) {
      ask(2);
      for (int i = 0; i < 20; i++) {
        producer.sendAndWait(null, "a");
      }
    }
    client.close();
    assertThat(broker.requests(ApiKey.GET_TELEMETRY_SUBSCRIPTIONS)).hasSize(2);
  }

  @Test
  void tooLargeMetricsAreReducedToThoseOfTheKip() throws InterruptedException {
    broker.state().telemetry(subscription(1, 100, ""));
    broker.next(ApiKey.PUSH_TELEMETRY, refuse(ErrorCode.TELEMETRY_TOO_LARGE));
    send(1);
    assertThat(names(push(1))).contains(SENT);
    assertThat(names(push(2))).doesNotContain(SENT).contains("org.apache.kafka.producer.connection.creation.total");
  }

  @Test
  void metricsThatDoNotFitAreNotSent() throws Exception {
    CompletableFuture<Throwable> recorded = refusal();
    broker.state().telemetry(subscription(1, 100, "").telemetryMaxBytes(20));
    send(1);
    assertThat(recorded.get(20, TimeUnit.SECONDS)).hasMessageContaining("takes 20 bytes at most");
    client.close();
    assertThat(broker.requests(ApiKey.PUSH_TELEMETRY)).isEmpty();
  }

  @Test
  void nothingIsPushedAfterARecordWasFoundInvalid() throws Exception {
    for (ErrorCode code : List.of(ErrorCode.INVALID_RECORD, ErrorCode.INVALID_REQUEST)) {
      broker.state().telemetry(subscription(1, 100, ""));
      int before = broker.requests(ApiKey.PUSH_TELEMETRY).size();
      broker.always(ApiKey.PUSH_TELEMETRY, refuse(code));
      CompletableFuture<Throwable> recorded = new CompletableFuture<>();
      try (KafkaClient other = KafkaClient.connect(address())) {
        other.events().watchErrors(new ErrorListener() {
          @Override
          public void onError(ErrorKind kind, String where, Throwable cause) {
            recorded.complete(cause);
          }
        });
        try (Producer<String, String> producer = other.producer(Serdes.string(), Serdes.string())
            .topic(ScriptedBroker.TOPIC).open()) {
          producer.sendAndWait(null, "a");
          assertThat(recorded.get(20, TimeUnit.SECONDS)).hasMessageContaining(code.name())
              .hasMessageContaining("PushTelemetry: broker " + address());
        }
      } // and there is no last push
      assertThat(broker.requests(ApiKey.PUSH_TELEMETRY)).hasSize(before + 1);
    }
  }

  @Test
  void brokerThatRefusesTheVersionIsNotAskedAgainOnThatConnection() throws Exception {
    CompletableFuture<Throwable> recorded = refusal();
    broker.state().telemetry(subscription(1, 100, ""));
    broker.next(ApiKey.GET_TELEMETRY_SUBSCRIPTIONS, refuseSubscription(ErrorCode.UNSUPPORTED_VERSION));
    send(1);
    assertThat(recorded.get(20, TimeUnit.SECONDS)).hasMessageContaining("UNSUPPORTED_VERSION");
    send(3);
    assertThat(broker.requests(ApiKey.GET_TELEMETRY_SUBSCRIPTIONS)).hasSize(1);
    broker.cutAll();
    send(1);
    assertThat(push(1).clientInstanceId()).isEqualTo(ID); // the next connection works
  }

  @Test
  void refusedAuthorizationIsReportedAndNotAskedAgainSoon() throws Exception {
    CompletableFuture<Throwable> recorded = refusal();
    broker.state().telemetry(subscription(1, 100, ""));
    broker.always(ApiKey.GET_TELEMETRY_SUBSCRIPTIONS, refuseSubscription(ErrorCode.CLUSTER_AUTHORIZATION_FAILED));
    send(1);
    assertThat(recorded.get(20, TimeUnit.SECONDS)).hasMessageContaining("CLUSTER_AUTHORIZATION_FAILED");
    send(5);
    client.close();
    assertThat(broker.requests(ApiKey.GET_TELEMETRY_SUBSCRIPTIONS)).hasSize(1);
  }

  @Test
  void lastPushIsMadeWhenTheClientCloses() throws InterruptedException {
    broker.state().telemetry(subscription(1, NEVER, ""));
    send(4);
    ask(1);
    client.clientInstanceId(LATER);
    client.close();
    assertThat(broker.requests(ApiKey.PUSH_TELEMETRY)).hasSize(1);
    assertThat(push(1).terminating()).isTrue();
    assertThat(sum(push(1), SENT)).isEqualTo(4);
  }

  /** A client that waited for the response would wait for its request timeout of 20 s. */
  @Test
  @Timeout(15)
  void closeDoesNotWaitForABrokerThatDoesNotRespond() throws InterruptedException {
    broker.state().telemetry(subscription(1, NEVER, ""));
    broker.always(ApiKey.PUSH_TELEMETRY, Script.SILENCE);
    send(1);
    client.clientInstanceId(LATER);
    client.close();
    assertThat(broker.requests(ApiKey.PUSH_TELEMETRY)).hasSize(1);
  }

  @Test
  void pushGoesOnAfterItsConnectionHasEnded() throws InterruptedException {
    broker.state().telemetry(subscription(1, 100, ""));
    broker.next(ApiKey.PUSH_TELEMETRY, Script.CUT);
    send(1);
    push(1);
    send(1); // connects again
    assertThat(push(2).clientInstanceId()).isEqualTo(ID);
    assertThat(broker.requests(ApiKey.GET_TELEMETRY_SUBSCRIPTIONS)).hasSize(1);
    assertThat(broker.requests(ApiKey.PUSH_TELEMETRY).get(1).connection())
        .isNotEqualTo(broker.requests(ApiKey.PUSH_TELEMETRY).getFirst().connection());
  }

  @Test
  void responseOfManyPrefixesIsRefusedAndTheClientWorksOn() throws InterruptedException {
    broker.state().telemetry(subscription(1, 100, ""));
    broker.next(ApiKey.GET_TELEMETRY_SUBSCRIPTIONS, exchange -> exchange.answer(subscription(1, 100)
        .requestedMetrics(Collections.nCopies(70_000, "x"))::write));
    send(3);
    assertThat(broker.state().stored(0)).hasSize(3);
    client.close();
    assertThat(broker.requests(ApiKey.PUSH_TELEMETRY)).isEmpty();
  }

  @Test
  void instanceIdIsHadWithoutAnyProducer() throws InterruptedException {
    broker.state().telemetry(subscription(1, NEVER, ""));
    assertThat(client.clientInstanceId(LATER)).isEqualTo(ID);
    assertThat(client.clientInstanceId(Duration.ZERO)).isEqualTo(ID);
    client.close();
    assertThatThrownBy(() -> client.clientInstanceId(LATER)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void brokerWithoutTheApiIsNamedToTheOneThatWantsTheId() {
    assertThatThrownBy(() -> client.clientInstanceId(LATER)).isInstanceOf(KafkaException.class)
        .hasMessageContaining("broker " + address()).hasMessageContaining("does not offer GetTelemetrySubscriptions");
  }

  @Test
  void instanceIdThatDoesNotComeIsATimeOut() {
    broker.state().telemetry(subscription(1, NEVER, ""));
    broker.always(ApiKey.GET_TELEMETRY_SUBSCRIPTIONS, Script.SILENCE);
    assertThatThrownBy(() -> client.clientInstanceId(SOON)).isInstanceOf(KafkaTimeoutException.class);
  }

  @Test
  void brokerThatGivesNoIdIsAnError() {
    broker.state().telemetry(subscription(1, NEVER, "").clientInstanceId(Uuid.ZERO));
    assertThatThrownBy(() -> client.clientInstanceId(LATER)).isInstanceOf(KafkaException.class)
        .hasMessageContaining("gave no client instance id");
  }

  @Test
  void metricsOfAConsumerHaveTheLabelsOfItsGroup() throws InterruptedException {
    broker.state().telemetry(subscription(1, NEVER, ""));
    broker.state().store(0, "a");
    try (Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string()).group("billing")
        .rack("r1").offsetReset(OffsetReset.EARLIEST)
        .fetchMaxWait(Duration.ofMillis(100)).subscribe(ScriptedBroker.TOPIC).open()) {
      client.clientInstanceId(LATER);
      assertThat(read(consumer, 1)).containsExactly("a");
    }
    client.close();
    List<ResourceMetrics> resources = data(push(1)).getResourceMetricsList();
    assertThat(resources).hasSize(2); // the counters of all consumers, and the group
    for (ResourceMetrics resource : resources) {
      assertThat(resource.getResource().getAttributesList()).extracting(KeyValue::getKey)
          .containsExactly("client_rack", "group_id", "group_member_id");
    }
    assertThat(names(push(1))).contains("org.apache.kafka.consumer.fetch.manager.records.consumed.total",
        "org.apache.kafka.consumer.fetch.manager.fetch.latency.avg",
        "org.apache.kafka.consumer.coordinator.assigned.partitions",
        "org.apache.kafka.consumer.coordinator.rebalance.latency.max",
        "org.apache.kafka.consumer.coordinator.commit.latency.max");
    assertThat(sum(push(1), "org.apache.kafka.consumer.coordinator.rebalance.total")).isPositive();
    assertThat(sum(push(1), "org.apache.kafka.consumer.fetch.manager.records.consumed.total")).isEqualTo(1);
  }
}
