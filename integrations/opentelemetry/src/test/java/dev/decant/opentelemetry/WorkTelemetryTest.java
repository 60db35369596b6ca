package dev.decant.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.event.Registration;
import dev.decant.fake.FakeCluster;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendOptions;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.kafka.work.Retry;
import dev.decant.kafka.work.Work;
import dev.decant.kafka.work.WorkBuilder;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WorkTelemetryTest {
  private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
  private final InMemoryMetricReader reader = InMemoryMetricReader.create();
  private final OpenTelemetrySdk sdk = OpenTelemetrySdk.builder()
      .setTracerProvider(SdkTracerProvider.builder().addSpanProcessor(SimpleSpanProcessor.create(exporter)).build())
      .setMeterProvider(SdkMeterProvider.builder().registerMetricReader(reader).build()).build();
  private final RecordPropagation propagation = RecordPropagation.traceContext();
  private final WorkSpans spans = new WorkSpans(sdk, "billing", propagation);
  private FakeCluster kafka;
  private KafkaClient client;
  private Span sender;

  @BeforeEach
  void start() throws InterruptedException {
    kafka = FakeCluster.builder().inMemory().topic("orders", 1).start();
    client = KafkaClient.connect(kafka.bootstrap());
    sender = sdk.getTracer("test").spanBuilder("send").startSpan();
    try (Producer<String, String> orders = client.producer(Serdes.string(), Serdes.string()).topic("orders").open()) {
      SendOptions options = new SendOptions();
      propagation.inject(Context.root().with(sender), options.headers());
      orders.sendAndWait("key", "bad", options);
      orders.sendAndWait("key", "good");
    }
  }

  @AfterEach
  void stop() {
    client.close();
    kafka.close();
    sdk.close();
  }

  private WorkBuilder<String, String> work() {
    return Work.on(client, Serdes.string(), Serdes.string()).group("billing").subscribe("orders").listener(spans)
        .retry(Retry.inPlace(1, Duration.ZERO)).skipFailed();
  }

  private static void awaitEnd(Work work) throws InterruptedException {
    while (work.status().done() + work.status().failedRecords() < 2) {
      Thread.onSpinWait();
    }
    assertThat(work.drain(Duration.ofSeconds(20))).isTrue();
  }

  private List<SpanData> named(String name) {
    return exporter.getFinishedSpanItems().stream().filter(span -> span.getName().equals(name)).toList();
  }

  private void assertProcessSpans() {
    List<SpanData> processed = named("process orders");
    assertThat(processed).hasSize(3).allSatisfy(span -> {
      assertThat(span.getKind()).isEqualTo(SpanKind.CONSUMER);
      assertThat(span.getAttributes().get(ClientAttributes.SYSTEM)).isEqualTo("kafka");
      assertThat(span.getAttributes().get(ClientAttributes.OPERATION_TYPE)).isEqualTo("process");
      assertThat(span.getAttributes().get(ClientAttributes.DESTINATION)).isEqualTo("orders");
      assertThat(span.getAttributes().get(ClientAttributes.PARTITION)).isEqualTo("0");
      assertThat(span.getAttributes().get(ClientAttributes.GROUP)).isEqualTo("billing");
    });
    List<SpanData> failed = processed.stream()
        .filter(span -> span.getStatus().getStatusCode() == StatusCode.ERROR).toList();
    assertThat(failed).hasSize(2).allSatisfy(span -> {
      assertThat(span.getParentSpanId()).isEqualTo(sender.getSpanContext().getSpanId());
      assertThat(span.getLinks()).hasSize(1);
      assertThat(span.getAttributes().get(ClientAttributes.ERROR_TYPE)).isEqualTo("java.lang.IllegalStateException");
      assertThat(span.getAttributes().get(AttributeKey.longKey("messaging.kafka.offset"))).isZero();
    });
    assertThat(failed).extracting(span -> span.getAttributes().get(AttributeKey.longKey("decant.kafka.work.attempt")))
        .containsExactly(1L, 2L);
  }

  @Test
  void attemptsAndCommitsHaveSpans() throws Exception {
    try (Work work = work().open(spans.around((record, context) -> {
      assertThat(Span.current().getSpanContext().isValid()).isTrue();
      if ("bad".equals(record.value())) {
        throw new IllegalStateException("bad");
      }
    }))) {
      awaitEnd(work);
    }
    assertProcessSpans();
    assertThat(named("commit orders")).isNotEmpty().allSatisfy(span -> {
      assertThat(span.getAttributes().get(ClientAttributes.OPERATION_TYPE)).isEqualTo("settle");
      assertThat(span.getAttributes().get(ClientAttributes.GROUP)).isEqualTo("billing");
      assertThat(span.getEndEpochNanos()).isGreaterThanOrEqualTo(span.getStartEpochNanos());
    });
  }

  @Test
  void spansOfStagesEndWithThem() throws Exception {
    try (Work work = work().openAsync(spans.aroundAsync((record, context) -> {
      boolean isBad = "bad".equals(record.value());
      return CompletableFuture.runAsync(() -> {
        if (isBad) {
          throw new IllegalStateException("bad");
        }
      });
    }))) {
      awaitEnd(work);
    }
    assertProcessSpans();
  }

  @Test
  void figuresOfTheWorkAreThoseOfItsStatus() throws Exception {
    try (Work work = work().open(record -> {
      if ("bad".equals(record.value())) {
        throw new IllegalStateException("bad");
      }
    })) {
      awaitEnd(work);
      Registration watching = WorkMetrics.watch(work, "billing", sdk);
      Map<String, MetricData> metrics = reader.collectAllMetrics().stream()
          .collect(Collectors.toMap(MetricData::getName, Function.identity()));
      watching.close();
      watching.close();
      assertThat(metrics).containsOnlyKeys("decant.kafka.work.records", "decant.kafka.work.bytes",
          "decant.kafka.work.lag", "decant.kafka.work.healthy", "decant.kafka.work.oldest", "decant.kafka.work.done",
          "decant.kafka.work.attempts.failed", "decant.kafka.work.records.failed", "decant.kafka.work.bound.pauses");
      assertThat(sum(metrics, "done")).isEqualTo(1);
      assertThat(sum(metrics, "attempts.failed")).isEqualTo(2);
      assertThat(sum(metrics, "records.failed")).isEqualTo(1);
      assertThat(metric(metrics, "records").getLongGaugeData().getPoints()).hasSize(5);
      assertThat(reader.collectAllMetrics()).isEmpty();
    }
  }

  private static long sum(Map<String, MetricData> metrics, String name) {
    return metric(metrics, name).getLongSumData().getPoints().iterator().next().getValue();
  }

  private static MetricData metric(Map<String, MetricData> metrics, String name) {
    return Objects.requireNonNull(metrics.get("decant.kafka.work." + name), name);
  }
}
