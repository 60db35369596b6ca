package dev.decant.fake;

import dev.decant.fake.fault.Disturbance;
import dev.decant.fake.fault.Disturbance.Kind;
import dev.decant.fake.fault.FaultRule;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import java.time.Duration;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the requests of a fault, and then the fault itself: the last call puts it in force. Each condition may be set
 * once; {@code nth}, {@code first} and {@code every} exclude each other. One thread at a time.
 */
public final class FaultBuilder {
  private static final Duration LONGEST = Duration.ofDays(7);

  private final Faults faults;
  private final @Nullable ApiKey api;
  private @Nullable Integer broker;
  private @Nullable String clientId;
  private @Nullable String topic;
  private @Nullable Predicate<ReceivedRequest> where;
  private long first = 1;
  private long last = 1;
  private boolean hasTurn;

  FaultBuilder(Faults faults, @Nullable ApiKey api) {
    this.faults = faults;
    this.api = api;
  }

  /**
   * Chooses requests to a broker.
   *
   * @throws IllegalArgumentException if the cluster has no such broker
   */
  public FaultBuilder broker(int id) {
    requireOnce("broker", broker);
    String problem = faults.problemOfBroker(id);
    if (problem != null) {
      throw new IllegalArgumentException("there is no broker " + id + "; " + problem);
    }
    broker = id;
    return this;
  }

  /** Chooses requests of a client, by its {@code client.id}. */
  public FaultBuilder client(String id) {
    requireOnce("client", clientId);
    clientId = id;
    return this;
  }

  /**
   * Chooses requests that name a topic. A fetch of a session names only the partitions that it adds or whose position
   * has changed (KIP-227), so a fault for later fetches of a session should have no topic.
   */
  public FaultBuilder topic(String name) {
    requireOnce("topic", topic);
    topic = name;
    return this;
  }

  /**
   * Chooses requests that meet a condition.
   *
   * @param condition called on the cluster's thread; must not block
   */
  public FaultBuilder where(Predicate<ReceivedRequest> condition) {
    requireOnce("where", where);
    where = condition;
    return this;
  }

  /** Hits only the nth of these requests, from 1; the first one by default. */
  public FaultBuilder nth(int n) {
    return turns(n, n);
  }

  /** Hits the first n of these requests. */
  public FaultBuilder first(int n) {
    return turns(1, n);
  }

  /** Hits all of these requests, until {@link Fault#end} or {@link Faults#clear}. */
  public FaultBuilder every() {
    return turns(1, Long.MAX_VALUE);
  }

  private static void requireOnce(String name, @Nullable Object present) {
    if (present != null) {
      throw new IllegalStateException(name + " is given already; a second fault may have another one");
    }
  }

  private FaultBuilder turns(long from, long to) {
    if (hasTurn) {
      throw new IllegalStateException("nth, first and every exclude each other: call one of them, once");
    }
    hasTurn = true;
    if (from < 1 || to < from) {
      throw new IllegalArgumentException("requests " + from + " to " + to + "; the first one is 1");
    }
    first = from;
    last = to;
    return this;
  }

  /** The broker does not apply the request, and responds with an error for all of it. */
  public Fault answer(ErrorCode error) {
    return inForce(new Disturbance(Kind.REFUSE, error, 0));
  }

  private static int millis(Duration duration) {
    if (duration.isNegative() || duration.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(duration + " is negative or longer than " + LONGEST.toDays() + " days");
    }
    return (int) duration.toMillis();
  }

  /**
   * The broker applies the request after a time of the cluster's clock, even if the client has closed its connection by
   * then. If the broker dies meanwhile, the request is lost.
   */
  public Fault delay(Duration duration) {
    return inForce(new Disturbance(Kind.DELAY, ErrorCode.NONE, millis(duration)));
  }

  /** The broker applies the request at once, and responds after a time of the cluster's clock. */
  public Fault answerAfter(Duration duration) {
    return inForce(new Disturbance(Kind.LATE, ErrorCode.NONE, millis(duration)));
  }

  /**
   * The broker applies the request and responds, and asks the client to send nothing for a time ({@code
   * throttle_time_ms}).
   */
  public Fault throttle(Duration duration) {
    return inForce(new Disturbance(Kind.THROTTLE, ErrorCode.NONE, millis(duration)));
  }

  /** The broker closes the connection, and does not apply the request. */
  public Fault closeBefore() {
    return inForce(Disturbance.of(Kind.CLOSE_BEFORE));
  }

  /** The broker applies the request, and closes the connection without a response. */
  public Fault closeAfter() {
    return inForce(Disturbance.of(Kind.CLOSE_AFTER));
  }

  /** The broker applies the request, and never responds; it reads nothing more from that connection. */
  public Fault neverAnswer() {
    return inForce(Disturbance.of(Kind.NEVER_ANSWER));
  }

  /** The broker applies the request, and its response has wrong bytes behind the correlation id. */
  public Fault damage() {
    return inForce(Disturbance.of(Kind.DAMAGE));
  }

  /** The broker applies the request, and responds twice. */
  public Fault answerTwice() {
    return inForce(Disturbance.of(Kind.TWICE));
  }

  /** The broker applies the request, and its response comes in two pieces, 20 ms apart. */
  public Fault answerInTwoPieces() {
    return inForce(Disturbance.of(Kind.TWO_PIECES));
  }

  private Fault inForce(Disturbance disturbance) {
    Predicate<ReceivedRequest> condition = where;
    FaultRule.Match match = new FaultRule.Match(api, broker, clientId, topic,
        condition == null ? null : entry -> condition.test(faults.decode(entry)));
    return faults.add(new FaultRule(match, new FaultRule.Turn(first, last), disturbance));
  }
}
