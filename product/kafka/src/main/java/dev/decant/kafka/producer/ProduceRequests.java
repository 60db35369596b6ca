package dev.decant.kafka.producer;

import static java.util.Objects.requireNonNull;

import dev.decant.kafka.cluster.BrokerLink;
import dev.decant.kafka.cluster.Cluster;
import dev.decant.loop.EventLoop;
import dev.decant.loop.Timer;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The requests that a round of the sender builds, and the brokers to which they go. Each leader gets one request a
 * round, unless producers differ in acks or transactions. Owner of the loop only.
 */
final class ProduceRequests {
  /** More requests to one broker gain nothing: it works on one at a time. */
  static final int MAX_IN_FLIGHT = 5;

  private final EventLoop loop;
  private final Cluster cluster;
  private final SentRequests sent;
  private final ProducerProblems problems;
  private final IdentityHashMap<BrokerLink, BrokerInFlight> byLink = new IdentityHashMap<>();
  private final List<BrokerInFlight> brokers = new ArrayList<>();
  private final List<ProduceRequestFrame> building = new ArrayList<>();
  /** Wakes the loop when a broker that takes no request now may take one. */
  private final Timer brokerTimer = new Timer(() -> {});
  private long round;
  private @Nullable ProduceRequestFrame found;

  ProduceRequests(EventLoop loop, Cluster cluster, SentRequests sent, ProducerProblems problems) {
    this.loop = loop;
    this.cluster = cluster;
    this.sent = sent;
    this.problems = problems;
  }

  /** Begins a round. */
  void begin() {
    round++;
  }

  /** The number of the present round. */
  long round() {
    return round;
  }

  /** All brokers that have had a request. Grows while a round looks at their queues. */
  List<BrokerInFlight> brokers() {
    return brokers;
  }

  /** Forgets brokers whose address the cluster has left, once no queue waits at a broker. They get no request now. */
  void forgetClosedLinks() {
    if (brokers.removeIf(broker -> broker.link.isClosed())) {
      byLink.keySet().removeIf(BrokerLink::isClosed);
    }
  }

  /**
   * Finds the request that takes the next batch of a partition, and names it by {@link #found}. Returns
   * {@link SendOutcome#LEAVES} if there is one. A request names a partition once: one that waited at its broker and has
   * left in this round waits for the next one.
   */
  SendOutcome find(PartitionSendState sends, BrokerLink leader, long now) {
    BrokerInFlight broker = brokerOf(sends, leader);
    if (broker.fullInRound == round || !canTakeRequest(leader, now)) {
      problems.noConnection(sends, leader);
      return SendOutcome.AT_BROKER;
    }
    if (sends.wasSentIn(round)) {
      return SendOutcome.NEXT_ROUND;
    }
    ProduceRequestFrame frame = frameFor(broker, sends.producer);
    if (!frame.hasRoomFor(sends)) {
      broker.fullInRound = round;
      return SendOutcome.FIRST_AT_BROKER;
    }
    found = frame;
    return SendOutcome.LEAVES;
  }

  /** The request that was found last. */
  ProduceRequestFrame found() {
    return requireNonNull(found, "found");
  }

  /** Returns true if a broker takes a request now. If not, the loop looks again when the broker may. */
  boolean canTakeRequest(BrokerLink link, long now) {
    if (!link.isReady()) {
      link.ensureConnected();
      if (link.lastError() != null) {
        cluster.requestUpdate();
        wakeForBrokersAt(now + Sender.RETRY_LEADER_NANOS);
      }
      return false;
    }
    if (link.isThrottled()) {
      wakeForBrokersAt(link.throttledUntilNanos());
      return false;
    }
    return link.inFlight() < MAX_IN_FLIGHT;
  }

  private void wakeForBrokersAt(long deadlineNanos) {
    if (!brokerTimer.isScheduled() || deadlineNanos - brokerTimer.deadlineNanos() < 0) {
      loop.schedule(brokerTimer, deadlineNanos);
    }
  }

  private BrokerInFlight brokerOf(PartitionSendState sends, BrokerLink link) {
    BrokerInFlight broker = sends.broker();
    if (broker == null || broker.link != link) {
      broker = byLink.get(link);
      if (broker == null) {
        broker = new BrokerInFlight(link);
        byLink.put(link, broker);
        brokers.add(broker);
      }
      sends.sendTo(broker);
    }
    return broker;
  }

  private ProduceRequestFrame frameFor(BrokerInFlight broker, ProducerState producer) {
    for (int i = 0; i < building.size(); i++) {
      if (building.get(i).isFor(broker, producer.settings)) {
        return building.get(i);
      }
    }
    ProduceRequestFrame frame = sent.takeFrame();
    frame.begin(broker, producer);
    building.add(frame);
    return frame;
  }

  /** Sends the requests of the round. Each leaves the list first: after an error it would be sent a second time. */
  void send() {
    while (!building.isEmpty()) {
      ProduceRequestFrame frame = building.removeFirst();
      if (frame.isEmpty()) {
        sent.end(frame);
      } else {
        sent.send(frame);
      }
    }
  }
}
