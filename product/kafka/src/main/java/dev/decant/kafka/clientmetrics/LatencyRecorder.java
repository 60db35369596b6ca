package dev.decant.kafka.clientmetrics;

import dev.decant.event.Registration;
import dev.decant.kafka.event.ConnectionListener;
import dev.decant.kafka.event.GroupListener;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.telemetry.Telemetry;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Durations that no counter has, for brokers that ask for metrics. It listens to events only while a broker does. Owner
 * of the loop only, like those events.
 */
final class LatencyRecorder {
  private static final Set<ApiKey> PRODUCER_APIS = EnumSet.of(ApiKey.PRODUCE, ApiKey.INIT_PRODUCER_ID,
      ApiKey.ADD_PARTITIONS_TO_TXN, ApiKey.ADD_OFFSETS_TO_TXN, ApiKey.TXN_OFFSET_COMMIT, ApiKey.END_TXN);
  /**
   * Requests of consumers. Joins and syncs of a classic group, which wait for its other members, are left out: they
   * would hide the latency of the broker.
   */
  private static final Set<ApiKey> CONSUMER_APIS = EnumSet.of(ApiKey.FETCH, ApiKey.LIST_OFFSETS,
      ApiKey.OFFSET_FOR_LEADER_EPOCH, ApiKey.OFFSET_COMMIT, ApiKey.OFFSET_FETCH, ApiKey.CONSUMER_GROUP_HEARTBEAT,
      ApiKey.HEARTBEAT, ApiKey.LEAVE_GROUP);

  final LatencyWindow produce = new LatencyWindow();
  final LatencyWindow produceThrottle = new LatencyWindow();
  final LatencyWindow queue = new LatencyWindow();
  final LatencyWindow rebalance = new LatencyWindow();
  final LatencyWindow fetch = new LatencyWindow();
  final LatencyWindow fetchThrottle = new LatencyWindow();
  /** By host and port. */
  final Map<String, LatencyWindow> producerNodes = new HashMap<>();
  final Map<String, LatencyWindow> consumerNodes = new HashMap<>();
  /** By group id. */
  final Map<String, LatencyWindow> commits = new HashMap<>();

  private final Telemetry telemetry;
  /** Registrations of the listeners; null while no broker asks. */
  private @Nullable Registration connections;
  private @Nullable Registration groups;

  LatencyRecorder(Telemetry telemetry) {
    this.telemetry = telemetry;
  }

  void start() {
    if (connections == null) {
      connections = telemetry.watchConnections(new Responses());
      groups = telemetry.watchGroups(new Commits());
      telemetry.producer().queueTimes(queue::add);
      telemetry.group().rebalanceTimes(rebalance::add);
    }
  }

  void stop() {
    Registration c = connections;
    Registration g = groups;
    if (c != null && g != null) {
      c.close();
      g.close();
      telemetry.producer().queueTimes(null);
      telemetry.group().rebalanceTimes(null);
      connections = null;
      groups = null;
      reset();
    }
  }

  /** Empties all windows after a push. */
  void reset() {
    produce.reset();
    produceThrottle.reset();
    queue.reset();
    rebalance.reset();
    fetch.reset();
    fetchThrottle.reset();
    reset(producerNodes);
    reset(consumerNodes);
    reset(commits);
  }

  /** Empties the windows, and drops those that were empty: a client may meet new brokers and groups without end. */
  private static void reset(Map<String, LatencyWindow> windows) {
    for (Iterator<LatencyWindow> i = windows.values().iterator(); i.hasNext();) {
      LatencyWindow window = i.next();
      if (window.isEmpty()) {
        i.remove();
      }
      window.reset();
    }
  }

  private static void add(Map<String, LatencyWindow> windows, String name, long nanos) {
    LatencyWindow window = windows.get(name);
    if (window == null) {
      window = new LatencyWindow();
      windows.put(name, window);
    }
    window.add(nanos);
  }

  /**
   * Records responses. The event of a response comes before its handler runs; the event of its throttling, while it
   * runs.
   */
  private final class Responses implements ConnectionListener {
    private @Nullable ApiKey last;

    @Override
    public void onResponse(String broker, short apiKey, int bytes, long nanos) {
      ApiKey api = ApiKey.of(apiKey);
      last = api;
      if (api == ApiKey.PRODUCE) {
        produce.add(nanos);
        produceThrottle.add(0);
      } else if (api == ApiKey.FETCH) {
        fetch.add(nanos);
        fetchThrottle.add(0);
      }
      if (api != null && PRODUCER_APIS.contains(api)) {
        add(producerNodes, broker, nanos);
      } else if (api != null && CONSUMER_APIS.contains(api)) {
        add(consumerNodes, broker, nanos);
      }
    }

    @Override
    public void onThrottled(String broker, int millis) {
      long nanos = TimeUnit.MILLISECONDS.toNanos(millis);
      if (last == ApiKey.PRODUCE) {
        produceThrottle.raise(nanos);
      } else if (last == ApiKey.FETCH) {
        fetchThrottle.raise(nanos);
      }
    }
  }

  /** Records commits, which end on the owner of the loop. */
  private final class Commits implements GroupListener {
    @Override
    public void onCommitted(String group, int partitions, long nanos) {
      add(commits, group, nanos);
    }
  }
}
