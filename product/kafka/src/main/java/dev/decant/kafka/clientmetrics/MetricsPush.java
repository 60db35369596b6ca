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
 * <p>It uses a connection that is ready anyway, and opens none. A broker without a metrics reporter for clients does
 * not offer the API: then there is neither request nor timer. Owner of the loop only, except for {@link #instanceId},
 * {@link #why} and {@link #close}.
 */
public final class MetricsPush {
  private static final short VERSION = 0;
  /** Bound of a subscription response. A broker sends a few prefixes; this is far more than all metric names. */
  private static final int MOST_RESPONSE_BYTES = 64 * 1024;
  private static final long FIRST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int MOST_DOUBLINGS = 10;
  /** Pause after an error that the KIP does not list, such as a missing permission. */
  private static final long REFUSED_NANOS = TimeUnit.MINUTES.toNanos(30);
  private static final long CLOSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final EventLoop loop;
  private final Cluster cluster;
  private final Telemetry telemetry;
  private final LatencyRecorder latencies;
  private final MetricsCollector collector;
  private final Runnable onChange = this::onChange;
  private final Timer timer = new Timer(this::proceed);
  /** Connections whose broker offers the API but refuses its version. */
  private final Set<ApiVersionTable> refusing = Collections.newSetFromMap(new WeakHashMap<>());
  /** Compression types that a broker has refused. */
  private final Set<CompressionType> refusedTypes = EnumSet.noneOf(CompressionType.class);

  /** Connection that was used last. */
  private @Nullable BrokerLink last;
  /** Metrics to push; null while the broker has to be asked. */
  private @Nullable MetricsSubscription subscription;
  /** True while there is no connection: {@link #onChange} then continues. */
  private boolean waiting = true;
  /** True from the start of a request or an encoding to its end. */
  private boolean busy;
  /** True once no request is sent any more. */
  private boolean stopped;
  /** True once the last push is being made. */
  private boolean terminating;
  /** True after a payload was too large: only metrics that the KIP requires are pushed. */
  private boolean requiredOnly;
  /** True if the subscription was requested again after a refusal, and no push was accepted since. */
  private boolean renewed;
  private int failures;

  // Written by the owner, read by any thread.
  private volatile @Nullable Uuid instanceId;
  private volatile @Nullable String why;
  private volatile boolean finished;

  /**
   * Creates a push that does nothing yet.
   *
   * @param telemetry has the counters
   * @param sources producers and consumers of the client
   */
  public MetricsPush(EventLoop loop, Cluster cluster, Telemetry telemetry, PushSources sources) {
    this.loop = loop;
    this.cluster = cluster;
    this.telemetry = telemetry;
    this.latencies = new LatencyRecorder(telemetry);
    this.collector = new MetricsCollector(loop.clock(), cluster, telemetry.counters(), sources, latencies);
  }

  /** Sends the first request as soon as there is a connection. */
  public void start() {
    cluster.onChange(onChange);
    onChange();
  }

  /** Opens a connection if there is none, for a thread that waits for the instance id. */
  public void connect() {
    if (instanceId == null) {
      cluster.anyLink();
    }
  }

  /** Returns the id that a broker has given to this client; null before the first response. Any thread. */
  public @Nullable Uuid instanceId() {
    return instanceId;
  }

  /** Returns the reason why no instance id can be expected soon; null if one may come. Any thread. */
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
      requestSubscription(link);
    } else {
      push(link, wanted);
    }
  }

  /** Returns a connection for metrics, preferably the last one, whose broker knows this client. */
  private @Nullable BrokerLink usableLink() {
    BrokerLink known = last;
    if (known != null && isUsable(known)) {
      return known;
    }
    BrokerLink found = cluster.readyLink(this::isUsable);
    if (found == null && instanceId == null && why == null) {
      BrokerLink any = cluster.readyLink(BrokerLink::isReady);
      if (any != null) {
        setWhy("broker " + any.name() + " takes no client metrics: it does not offer GetTelemetrySubscriptions, as"
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

  private void setWhy(@Nullable String reason) {
    why = reason;
    cluster.waiters().signalAll();
  }

  private void pause(long nanos) {
    if (!stopped && !terminating) {
      loop.schedule(timer, loop.nowNanos() + nanos);
    }
  }

  private void requestSubscription(BrokerLink link) {
    Uuid known = instanceId;
    GetTelemetrySubscriptionsRequest request = new GetTelemetrySubscriptionsRequest()
        .clientInstanceId(known == null ? Uuid.ZERO : known);
    busy = true;
    link.send(new SubscriptionCall(link, request));
  }

  /** The request for the subscription. */
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
      setWhy(null);
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
      } catch (Throwable e) { // direct memory may be exhausted
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
      return; // the last push has all metrics
    }
    busy = false;
    if (!link.isReady()) {
      ended();
      proceed(); // uses another connection
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

  /** The request that pushes metrics. */
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
        collector.markTaken();
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

    /** Counts the metrics as taken, since the broker may have received them: a second push would count them twice. */
    @Override
    protected void onFailure(KafkaException cause) {
      busy = false;
      collector.markTaken();
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
        if (renewed) { // requesting it at once has not helped
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
      setWhy(reason);
    }
    telemetry.errors().report(ErrorKind.METRICS_REFUSED, link.name(), new KafkaException(error, reason));
  }

  /** Ends all pushes. */
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
      finished = true;
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
   * Pushes a last time if a broker has asked for metrics. Waits half a second at most for its response. Any thread but
   * the owner; the caller then closes the connections.
   */
  public void close() {
    loop.execute(this::terminate);
    boolean interrupted = false;
    try {
      cluster.waiters().await(() -> finished, loop.clock().nanoTime() + CLOSE_NANOS);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    loop.execute(this::stop);
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
