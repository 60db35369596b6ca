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
 * Says which requests a fault is for, and then what happens to them: the last call puts the fault in force. Each
 * condition is given once at most; {@code nth}, {@code first} and {@code every} exclude each other. Used by one thread.
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
   * Only requests to a broker.
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

  /** Only requests of a client, by its {@code client.id}. */
  public FaultBuilder client(String id) {
    requireOnce("client", clientId);
    clientId = id;
    return this;
  }

  /**
   * Only requests that name a topic. A fetch of a session names only the partitions that it adds or whose position has
   * changed (KIP-227), so a fault on later fetches of a session is better without a topic.
   */
  public FaultBuilder topic(String name) {
    requireOnce("topic", topic);
    topic = name;
    return this;
  }

  /**
   * Only requests for which a test holds.
   *
   * @param condition called on the cluster's thread; must not block
   */
  public FaultBuilder where(Predicate<ReceivedRequest> condition) {
    requireOnce("where", where);
    where = condition;
    return this;
  }

  /** The nth of these requests alone, from 1; without this the first one. */
  public FaultBuilder nth(int n) {
    return turns(n, n);
  }

  /** The first n of these requests. */
  public FaultBuilder first(int n) {
    return turns(1, n);
  }

  /** All of these requests, until {@link Fault#end} or {@link Faults#clear}. */
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
   * The broker applies the request after a time of the cluster's clock. It does so even if the client has closed its
   * connection by then; a request to a broker that dies meanwhile is lost.
   */
  public Fault delay(Duration duration) {
    return inForce(new Disturbance(Kind.DELAY, ErrorCode.NONE, millis(duration)));
  }

  /** The broker applies the request at once, and responds after a time of the cluster's clock. */
  public Fault answerAfter(Duration duration) {
    return inForce(new Disturbance(Kind.LATE, ErrorCode.NONE, millis(duration)));
  }

  /** The broker does as it should, and tells the client to send nothing for a time ({@code throttle_time_ms}). */
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
