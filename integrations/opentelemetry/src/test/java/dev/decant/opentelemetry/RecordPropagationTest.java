package dev.decant.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerRecord;
import dev.decant.kafka.producer.Ack;
import dev.decant.kafka.producer.Headers;
import dev.decant.kafka.producer.Producer;
import dev.decant.kafka.producer.SendOptions;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.testkit.KafkaCluster;
import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.api.baggage.propagation.W3CBaggagePropagator;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.context.propagation.TextMapPropagator;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Contexts that go through a real broker. */
@Timeout(120)
class RecordPropagationTest {
  private static final String TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String SPAN_ID = "00f067aa0ba902b7";
  private static final String TRACEPARENT = "00-" + TRACE_ID + "-" + SPAN_ID + "-01";
  private static final String TOPIC = "traced";
  /** Made by the propagator for a text of 55 characters: a string and its bytes. */
  private static final int BYTES_OF_THE_TEXT = 24 + 16 + 56;

  private static KafkaCluster cluster;
  private static KafkaClient client;

  private final RecordPropagation propagation = RecordPropagation.traceContext();
  private final SendOptions options = new SendOptions();
  private final Headers headers = options.headers();
  /** Keeps the compiler from leaving out what a propagator makes. */
  private volatile @Nullable Object escaped;

  @BeforeAll
  static void start() {
    cluster = KafkaCluster.start();
    cluster.createTopic(TOPIC, 1);
    client = KafkaClient.connect(cluster.bootstrap());
  }

  @AfterAll
  static void stop() {
    client.close();
    cluster.close();
  }

  private static Context traced(TraceState state) {
    return Context.root().with(
        Span.wrap(SpanContext.createFromRemoteParent(TRACE_ID, SPAN_ID, TraceFlags.getSampled(), state)));
  }

  /** Sends one record with the headers and answers what a function makes of it in the handler. */
  private <T> T received(Function<ConsumerRecord<String, String>, T> handler) throws InterruptedException {
    try (Producer<String, String> producer = client.producer(Serdes.string(), Serdes.string()).topic(TOPIC).open();
        Consumer<String, String> consumer = client.consumer(Serdes.string(), Serdes.string()).open()) {
      Ack ack = producer.sendAndWait("key", "value", options);
      consumer.assign(TOPIC, 0);
      consumer.seek(TOPIC, 0, ack.offset());
      Received<T> received = new Received<>();
      long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
      while (received.value == null && System.nanoTime() < deadline) {
        consumer.poll(Duration.ofMillis(500), record -> received.value = handler.apply(record));
      }
      T value = received.value;
      if (value == null) {
        throw new AssertionError("the record did not come within 30 s");
      }
      return value;
    }
  }

  private static final class Received<T> {
    private @Nullable T value;
  }

  private Context extracted() throws InterruptedException {
    return received(record -> propagation.extract(Context.root(), record));
  }

  @Test
  void aContextGoesFromProducerToConsumer() throws InterruptedException {
    propagation.inject(traced(TraceState.builder().put("vendor", "t61rcWkgMzE").build()), headers);
    SpanContext span = Span.fromContext(extracted()).getSpanContext();

    assertThat(span.isValid()).isTrue();
    assertThat(span.isRemote()).isTrue();
    assertThat(span.getTraceId()).isEqualTo(TRACE_ID);
    assertThat(span.getSpanId()).isEqualTo(SPAN_ID);
    assertThat(span.isSampled()).isTrue();
    assertThat(span.getTraceState().get("vendor")).isEqualTo("t61rcWkgMzE");
  }

  @Test
  void headersAreWhatOtherClientsReadAndWrite() throws InterruptedException {
    propagation.inject(traced(TraceState.getDefault()), headers);
    String read = received(record -> record.headerCount() + " " + record.headerText("traceparent"));

    assertThat(read).isEqualTo("1 " + TRACEPARENT);
  }

  @Test
  void ofTwoContextsTheLaterIsRead() throws InterruptedException {
    headers.addText("traceparent", TRACEPARENT.replace('4', '5'));
    propagation.inject(traced(TraceState.getDefault()), headers);
    assertThat(Span.fromContext(extracted()).getSpanContext().getTraceId()).isEqualTo(TRACE_ID);
  }

  @Test
  void malformedTraceparentsAreIgnored() throws InterruptedException {
    for (String malformed : List.of("", "x", TRACEPARENT.substring(1), TRACEPARENT + "0",
        "ff" + TRACEPARENT.substring(2), TRACEPARENT.replace(TRACE_ID, "0".repeat(32)),
        TRACEPARENT.replace(SPAN_ID, "0".repeat(16)),
        TRACEPARENT.replace('-', '_'), TRACEPARENT.replace('f', 'g'), "\u00e9".repeat(55), "9".repeat(10_000))) {
      headers.clear().addText("traceparent", malformed);
      assertThat(extracted()).as(malformed).isSameAs(Context.root());
    }
    headers.clear().add("traceparent", null);
    assertThat(extracted()).isSameAs(Context.root());
    headers.clear().add("traceparent", new byte[] {(byte) 0xff, 0, (byte) 0x80});
    assertThat(extracted()).isSameAs(Context.root());
  }

  @Test
  void aMalformedTracestateLeavesTheTrace() throws InterruptedException {
    headers.addText("traceparent", TRACEPARENT).addText("tracestate", "=,=,\u0000");
    SpanContext span = Span.fromContext(extracted()).getSpanContext();

    assertThat(span.getTraceId()).isEqualTo(TRACE_ID);
    assertThat(span.getTraceState().isEmpty()).isTrue();
  }

  @Test
  void aRecordWithoutContextLeavesTheGivenOne() throws InterruptedException {
    propagation.inject(Context.root(), headers);
    Context given = traced(TraceState.getDefault());
    Context read = received(record -> propagation.extract(given, record));

    assertThat(read).isSameAs(given);
  }

  @Test
  void otherPropagatorsAreCarriedToo() throws InterruptedException {
    RecordPropagation both = new RecordPropagation(TextMapPropagator.composite(W3CTraceContextPropagator.getInstance(),
        W3CBaggagePropagator.getInstance()));
    Baggage baggage = Baggage.builder().put("tenant", "grün").build();
    both.inject(baggage.storeInContext(traced(TraceState.getDefault())), headers);
    Context context = received(record -> both.extract(Context.root(), record));

    assertThat(Baggage.fromContext(context).getEntryValue("tenant")).isEqualTo("grün");
    assertThat(Span.fromContext(context).getSpanContext().getTraceId()).isEqualTo(TRACE_ID);
  }

  @Test
  void injectingAllocatesWhatThePropagatorDoesAndNoMore() {
    TextMapPropagator propagator = W3CTraceContextPropagator.getInstance();
    Context context = traced(TraceState.getDefault());
    long forced = bytesPerCall(() -> propagator.inject(context, headers, (carrier, key, value) -> escaped = value));
    long ours = bytesPerCall(() -> propagation.inject(context, headers.clear()));

    assertThat(escaped).isEqualTo(TRACEPARENT);
    assertThat(forced).isPositive();
    assertThat(ours).isLessThanOrEqualTo(forced);
  }

  @Test
  void extractingAllocatesTheTextAndWhatThePropagatorDoesAndNoMore() throws InterruptedException {
    TextMapPropagator propagator = W3CTraceContextPropagator.getInstance();
    propagation.inject(traced(TraceState.getDefault()), headers);
    TextMapGetter<String> constant = new TextMapGetter<>() {
      @Override
      public Iterable<String> keys(String carrier) {
        return List.of();
      }

      @Override
      public @Nullable String get(@Nullable String carrier, String key) {
        return key.equals("traceparent") ? carrier : null;
      }
    };
    long forced = bytesPerCall(() -> escaped = propagator.extract(Context.root(), TRACEPARENT, constant));
    long ours = received(record -> bytesPerCall(() -> escaped = propagation.extract(Context.root(), record)));

    assertThat(forced).isPositive();
    assertThat(ours).isBetween(forced, forced + BYTES_OF_THE_TEXT);
  }

  @Test
  void aRecordWithOtherHeadersOnlyCostsNothing() throws InterruptedException {
    headers.addText("tenant", "x").addText("traceparents", "y");
    long others = received(record -> bytesPerCall(() -> propagation.extract(Context.root(), record)));
    headers.clear();
    long none = received(record -> bytesPerCall(() -> propagation.extract(Context.root(), record)));

    assertThat(others).isZero();
    assertThat(none).isZero();
  }

  /** The fewest bytes that a call allocated on this thread, once warm; runs of 500. */
  private static long bytesPerCall(Runnable call) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    for (int run = 0; run < 100; run++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 500; i++) {
        call.run();
      }
      long allocated = threads.getCurrentThreadAllocatedBytes() - before;
      least = run < 40 ? least : Math.min(least, allocated);
    }
    return least / 500;
  }
}
