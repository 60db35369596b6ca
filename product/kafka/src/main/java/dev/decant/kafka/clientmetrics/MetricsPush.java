package dev.decant.kafka.clientmetrics;

import dev.decant.buffer.PooledBuffer;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.cluster.ApiVersionTable;
import dev.decant.kafka.cluster.BrokerLink;
import dev.decant.kafka.cluster.Call;
import dev.decant.kafka.cluster.Cluster;
import dev.decant.kafka.event.ErrorKind;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.Uuid;
import dev.decant.kafka.protocol.message.GetTelemetrySubscriptionsRequest;
import dev.decant.kafka.protocol.message.GetTelemetrySubscriptionsResponse;
import dev.decant.kafka.protocol.message.PushTelemetryRequest;
import dev.decant.kafka.protocol.message.PushTelemetryResponse;
import dev.decant.kafka.record.CompressionType;
import dev.decant.kafka.telemetry.Telemetry;
import dev.decant.loop.EventLoop;
import dev.decant.loop.Timer;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Asks a broker which metrics it wants, and pushes them (KIP-714):
 *
 * <pre>
 *                 connection            nothing wanted: after the interval
 *   waiting for -------------&gt; ask  &lt;-----------------------------------+
 *   a connection                |  \____________________________________|
 *                               | metrics wanted       unknown subscription, compression type
 *                               v                                       |
 *                   wait 0.5 to 1.5 intervals --&gt; push --&gt; wait an interval
 * </pre>
 *
 * <p>It uses a connection that is ready anyway, and opens none. A broker that has no metrics reporter for clients does
 * not offer the API: then there is neither request nor timer. Owner of the loop only, but for {@link #instanceId},
 * {@link #why} and {@link #close}.
 */
public final class MetricsPush {
  private static final short VERSION = 0;
  /** A broker says a few prefixes; this is far more than all metric names there are. */
  private static final int MOST_RESPONSE_BYTES = 64 * 1024;
  private static final long FIRST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int MOST_DOUBLINGS = 10;
  /** After an error that is not of the KIP, such as a refused authorization. */
  private static final long REFUSED_NANOS = TimeUnit.MINUTES.toNanos(30);
  private static final long CLOSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final EventLoop loop;
  private final Cluster cluster;
  private final Telemetry telemetry;
  private final LatencyRecorder latencies;
  private final MetricsCollector collector;
  private final Runnable onChange = this::onChange;
  private final Timer timer = new Timer(this::proceed);
  /** Connections whose broker offers the API and refuses its version. */
  private final Set<ApiVersionTable> refusing = Collections.newSetFromMap(new WeakHashMap<>());
  private final Set<CompressionType> refusedTypes = EnumSet.noneOf(CompressionType.class);

  private @Nullable BrokerLink last;
  /** What is to be pushed; null if it has to be asked for. */
  private @Nullable MetricsSubscription subscription;
  private boolean waiting = true;
  private boolean busy;
  private boolean stopped;
  private boolean terminating;
  /** The last payload was too large: only what the KIP requires is pushed. */
  private boolean requiredOnly;
  /** A push was refused for a reason that asking again should cure, and none was taken since. */
  private boolean renewed;
  private int failures;

  // Written by the owner, read by any thread.
  private volatile @Nullable Uuid instanceId;
  private volatile @Nullable String why;
  private volatile boolean over;

  /**
   * Does nothing yet.
   *
   * @param loop of the client
   * @param cluster whose brokers are asked
   * @param telemetry what is counted
   * @param sources the producers and consumers of the client
   */
  public MetricsPush(EventLoop loop, Cluster cluster, Telemetry telemetry, PushSources sources) {
    this.loop = loop;
    this.cluster = cluster;
    this.telemetry = telemetry;
    this.latencies = new LatencyRecorder(telemetry);
    this.collector = new MetricsCollector(loop.clock(), cluster, telemetry.counters(), sources, latencies);
  }

  /** Asks as soon as there is a connection. */
  public void start() {
    cluster.onChange(onChange);
    onChange();
  }

  /** Has a connection opened if there is none, since somebody waits for the instance id. */
  public void connect() {
    if (instanceId == null) {
      cluster.anyLink();
    }
  }

  /**
   * The id that a broker has given to this client. Any thread.
   *
   * @return null before the first response
   */
  public @Nullable Uuid instanceId() {
    return instanceId;
  }

  /**
   * Why there is no instance id, and none to be expected soon. Any thread.
   *
   * @return null if one may come
   */
  public @Nullable String why() {
    return why;
  }

  private void onChange() {
    if (waiting) {
      proceed();
    }
  }

  /** Sends the next request if there is a connection for it. */
  private void proceed() {
    if (busy || stopped || terminating) {
      return;
    }
    BrokerLink link = usableLink();
    waiting = link == null;
    if (link == null) {
      return;
    }
    if (link.isThrottled()) {
      loop.schedule(timer, link.throttledUntilNanos());
      return;
    }
    last = link;
    MetricsSubscription wanted = subscription;
    if (wanted == null) {
      ask(link);
    } else {
      push(link, wanted);
    }
  }

  /** The one that was used last, if possible: that broker knows this client. */
  private @Nullable BrokerLink usableLink() {
    BrokerLink known = last;
    if (known != null && isUsable(known)) {
      return known;
    }
    BrokerLink found = cluster.readyLink(this::isUsable);
    if (found == null && instanceId == null && why == null) {
      BrokerLink any = cluster.readyLink(BrokerLink::isReady);
      if (any != null) {
        tellWhy("broker " + any.name() + " takes no client metrics: it does not offer GetTelemetrySubscriptions, as"
            + " brokers of Kafka 3.7 or later do that have a metrics reporter for clients");
      }
    }
    return found;
  }

  private boolean isUsable(BrokerLink link) {
    return link.isReady() && !refusing.contains(link.versions())
        && link.versions().offers(ApiKey.GET_TELEMETRY_SUBSCRIPTIONS, VERSION)
        && link.versions().offers(ApiKey.PUSH_TELEMETRY, VERSION);
  }

  private void tellWhy(@Nullable String reason) {
    why = reason;
    cluster.waiters().signalAll();
  }

  private void pause(long nanos) {
    if (!stopped && !terminating) {
      loop.schedule(timer, loop.nowNanos() + nanos);
    }
  }

  private void ask(BrokerLink link) {
    Uuid known = instanceId;
    GetTelemetrySubscriptionsRequest request = new GetTelemetrySubscriptionsRequest()
        .clientInstanceId(known == null ? Uuid.ZERO : known);
    busy = true;
    link.send(new SubscriptionCall(link, request));
  }

  /** The question for the metrics that are wanted. */
  private final class SubscriptionCall extends Call {
    private final BrokerLink link;
    private final GetTelemetrySubscriptionsRequest request;

    SubscriptionCall(BrokerLink link, GetTelemetrySubscriptionsRequest request) {
      super(ApiKey.GET_TELEMETRY_SUBSCRIPTIONS, VERSION, VERSION);
      this.link = link;
      this.request = request;
    }

    @Override
    public void write(ProtocolWriter out, short version) {
      request.write(out, version);
    }

    @Override
    protected void onResponse(ProtocolReader in, short version, @Nullable PooledBuffer lease) {
      if (in.remaining() > MOST_RESPONSE_BYTES) {
        throw new KafkaException(ErrorCode.NONE, "a response of " + in.remaining() + " bytes, more than the "
            + MOST_RESPONSE_BYTES + " that a subscription may have");
      }
      GetTelemetrySubscriptionsResponse response = GetTelemetrySubscriptionsResponse.read(in, version);
      busy = false;
      throttle(response.throttleTimeMs());
      if (response.errorCode() != 0) {
        refused(link, "GetTelemetrySubscriptions", ErrorCode.of(response.errorCode()));
      } else if (takeId(link, response.clientInstanceId()) && !terminating) {
        subscribed(MetricsSubscription.of(response));
      }
    }

    @Override
    protected void onFailure(KafkaException cause) {
      busy = false;
      pause(Math.min(MetricsSubscription.DEFAULT_INTERVAL_NANOS,
          FIRST_RETRY_NANOS << Math.min(failures++, MOST_DOUBLINGS)));
    }
  }

  private boolean takeId(BrokerLink link, Uuid given) {
    if (instanceId == null && given.equals(Uuid.ZERO)) {
      report(link, "GetTelemetrySubscriptions", ErrorCode.NONE, "gave no client instance id");
      pause(MetricsSubscription.DEFAULT_INTERVAL_NANOS);
      return false;
    }
    if (instanceId == null) {
      instanceId = given;
      tellWhy(null);
    }
    return true;
  }

  private void subscribed(MetricsSubscription wanted) {
    failures = 0;
    requiredOnly = false;
    if (wanted.metrics().isEmpty()) {
      subscription = null;
      latencies.stop();
      pause(wanted.intervalNanos());
    } else {
      subscription = wanted;
      latencies.start();
      pause(wanted.firstPushNanos(ThreadLocalRandom.current().nextDouble()));
    }
  }

  private void push(BrokerLink link, MetricsSubscription wanted) {
    boolean lastOne = terminating;
    MetricsDataWriter data = collector.collect(requiredOnly ? required(wanted) : wanted.metrics(), wanted.delta());
    if (data.metrics() == 0 && !lastOne) {
      pause(wanted.intervalNanos());
      return;
    }
    List<CompressionType> types = wanted.compression().stream().filter(t -> !refusedTypes.contains(t)).toList();
    busy = true;
    Thread.ofVirtual().name("decant-metrics-push").start(() -> { // the loop must not wait for a codec to be loaded
      try {
        PushCompression compressed = PushCompression.of(data.encoded(), types);
        loop.execute(() -> send(link, wanted, compressed, lastOne));
      } catch (Throwable e) { // direct memory may run out
        loop.execute(() -> notEncoded(wanted, e));
      }
    });
  }

  private void notEncoded(MetricsSubscription wanted, Throwable cause) {
    busy = false;
    telemetry.errors().report(ErrorKind.METRICS_REFUSED, "this client", new KafkaException(ErrorCode.NONE,
        "client metrics, encoding: " + cause, cause));
    ended();
    pause(wanted.intervalNanos());
  }

  private static Set<PushedMetric> required(MetricsSubscription wanted) {
    Set<PushedMetric> fewer = EnumSet.copyOf(wanted.metrics());
    fewer.removeIf(metric -> !metric.isRequired());
    return fewer;
  }

  private void send(BrokerLink link, MetricsSubscription wanted, PushCompression metrics, boolean lastOne) {
    Uuid id = instanceId;
    if (stopped || id == null || (terminating && !lastOne)) {
      return; // the last push has all of it
    }
    busy = false;
    if (!link.isReady()) {
      ended();
      proceed(); // on another connection
      return;
    }
    int bytes = metrics.bytes().remaining();
    if (bytes > wanted.maxBytes()) {
      tooLarge(link, wanted, bytes);
      return;
    }
    PushTelemetryRequest request = new PushTelemetryRequest().clientInstanceId(id).subscriptionId(wanted.id())
        .terminating(lastOne).compressionType((byte) metrics.type().id()).metrics(metrics.bytes());
    busy = true;
    collector.sent();
    link.send(new PushCall(link, request, wanted, metrics.type(), lastOne));
  }

  private void tooLarge(BrokerLink link, MetricsSubscription wanted, int bytes) {
    if (!requiredOnly && !required(wanted).isEmpty()) {
      requiredOnly = true;
      push(link, wanted);
      return;
    }
    report(link, "PushTelemetry", ErrorCode.TELEMETRY_TOO_LARGE, "takes " + wanted.maxBytes()
        + " bytes at most, and the metrics that it asks for are " + bytes);
    ended();
    pause(wanted.intervalNanos());
  }

  /** Metrics that are pushed. */
  private final class PushCall extends Call {
    private final BrokerLink link;
    private final PushTelemetryRequest request;
    private final MetricsSubscription wanted;
    private final CompressionType type;
    private final boolean lastOne;

    PushCall(BrokerLink link, PushTelemetryRequest request, MetricsSubscription wanted, CompressionType type,
        boolean lastOne) {
      super(ApiKey.PUSH_TELEMETRY, VERSION, VERSION);
      this.link = link;
      this.request = request;
      this.wanted = wanted;
      this.type = type;
      this.lastOne = lastOne;
    }

    @Override
    public void write(ProtocolWriter out, short version) {
      request.write(out, version);
    }

    @Override
    protected void onResponse(ProtocolReader in, short version, @Nullable PooledBuffer lease) {
      PushTelemetryResponse response = PushTelemetryResponse.read(in, version);
      ErrorCode error = ErrorCode.of(response.errorCode());
      busy = false;
      throttle(response.throttleTimeMs());
      if (error == ErrorCode.UNSUPPORTED_COMPRESSION_TYPE) {
        refusedTypes.add(type);
      }
      if (error == ErrorCode.NONE) {
        collector.counts();
        renewed = false;
      }
      if (lastOne) {
        ended();
      } else if (error == ErrorCode.NONE) {
        pause(wanted.intervalNanos());
      } else {
        refused(link, "PushTelemetry", error);
      }
    }

    /** The broker may have taken it: what it had is not pushed again. */
    @Override
    protected void onFailure(KafkaException cause) {
      busy = false;
      collector.counts();
      if (lastOne) {
        ended();
      } else {
        pause(wanted.intervalNanos());
      }
    }
  }

  private void refused(BrokerLink link, String api, ErrorCode error) {
    if (terminating) {
      return;
    }
    MetricsSubscription known = subscription;
    long interval = known == null ? MetricsSubscription.DEFAULT_INTERVAL_NANOS : known.intervalNanos();
    switch (error) {
      case UNKNOWN_SUBSCRIPTION_ID, UNSUPPORTED_COMPRESSION_TYPE -> {
        subscription = null;
        if (renewed) { // asking at once has not helped
          pause(interval);
        } else {
          renewed = true;
          proceed();
        }
      }
      case TELEMETRY_TOO_LARGE -> {
        if (requiredOnly) {
          report(link, api, error, "finds the metrics that it asks for too large");
        }
        requiredOnly = true;
        pause(interval);
      }
      case THROTTLING_QUOTA_EXCEEDED -> pause(interval);
      case UNSUPPORTED_VERSION -> {
        report(link, api, error, "offers the API and refuses version " + VERSION);
        refusing.add(link.versions());
        proceed();
      }
      case INVALID_REQUEST, INVALID_RECORD -> {
        report(link, api, error, "refuses what this client sends; it pushes nothing any more");
        stop();
      }
      default -> {
        report(link, api, error, "refuses, and is asked again in " + REFUSED_NANOS / 1_000_000_000 + " s");
        subscription = null;
        latencies.stop();
        pause(REFUSED_NANOS);
      }
    }
  }

  private void report(BrokerLink link, String api, ErrorCode error, String what) {
    String reason = "client metrics, " + api + ": broker " + link.name() + " " + what
        + (error == ErrorCode.NONE ? "" : ": " + error);
    if (instanceId == null) {
      tellWhy(reason);
    }
    telemetry.errors().report(ErrorKind.METRICS_REFUSED, link.name(), new KafkaException(error, reason));
  }

  /** For good. */
  private void stop() {
    stopped = true;
    waiting = false;
    subscription = null;
    loop.cancel(timer);
    latencies.stop();
    cluster.removeOnChange(onChange);
    ended();
  }

  private void ended() {
    if (terminating) {
      over = true;
      cluster.waiters().signalAll();
    }
  }

  private void terminate() {
    terminating = true;
    loop.cancel(timer);
    MetricsSubscription wanted = subscription;
    BrokerLink link = stopped || wanted == null ? null : usableLink();
    if (link == null || wanted == null || link.isThrottled()) {
      ended();
    } else {
      push(link, wanted);
    }
  }

  /**
   * Pushes a last time if a broker has asked for metrics, and waits for its response, half a second at most. Any thread
   * but the owner, which goes on to close the connections.
   */
  public void close() {
    loop.execute(this::terminate);
    boolean interrupted = false;
    try {
      cluster.waiters().await(() -> over, loop.clock().nanoTime() + CLOSE_NANOS);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    loop.execute(this::stop);
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
