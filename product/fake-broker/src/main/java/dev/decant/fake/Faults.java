package dev.decant.fake;

import dev.decant.fake.cluster.Cluster;
import dev.decant.fake.cluster.Topics;
import dev.decant.fake.fault.FaultRule;
import dev.decant.fake.fault.FaultRules;
import dev.decant.fake.journal.JournalEntry;
import dev.decant.kafka.protocol.ApiKey;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Faults of the brokers, asked for before the requests come. Rules are looked through in the order in which they were
 * made, and the first one for a request decides. Any thread.
 *
 * <pre>
 * kafka.faults().on(ApiKey.PRODUCE).topic("orders").nth(2).answer(ErrorCode.NOT_LEADER_OR_FOLLOWER);
 * kafka.faults().on(ApiKey.FETCH).every().delay(Duration.ofMillis(200));
 * </pre>
 */
public final class Faults {
  /** Topics that brokers make when they need them. */
  private static final Set<String> INTERNAL = Set.of(Topics.OFFSETS, Topics.TRANSACTIONS, Topics.SHARE_STATE);

  private final OwnerThread owner;
  private final Cluster cluster;
  private final FaultRules rules;
  private final Function<JournalEntry, ReceivedRequest> decoder;

  Faults(OwnerThread owner, Cluster cluster, FaultRules rules, Function<JournalEntry, ReceivedRequest> decoder) {
    this.owner = owner;
    this.cluster = cluster;
    this.rules = rules;
    this.decoder = decoder;
  }

  /**
   * Begins a fault for requests of an API.
   *
   * @param api the API
   * @return for the next of them, unless the builder says which
   */
  public FaultBuilder on(ApiKey api) {
    return new FaultBuilder(this, api);
  }

  /**
   * Begins a fault for requests of all APIs.
   *
   * @return for the next of them, unless the builder says which
   */
  public FaultBuilder onAny() {
    return new FaultBuilder(this, null);
  }

  /**
   * Puts a fault in force that is written as words, as the command line and {@code @FakeKafka} have it:
   *
   * <pre>
   * Produce topic=orders nth=2 answer=NOT_LEADER_OR_FOLLOWER
   * any client=shop every delay=200ms
   * </pre>
   *
   * <p>First comes the API by Kafka's name, or {@code any}. Then come the conditions {@code broker=ID}, {@code
   * client=ID} and {@code topic=NAME}, and {@code nth=N}, {@code first=N} or {@code every}; without one of these the
   * fault hits one request. A topic has to be there, unless there is none at all yet. The last word says what happens:
   * {@code answer=ERROR}, {@code delay=TIME}, {@code answer-after=TIME}, {@code throttle=TIME}, {@code close-before},
   * {@code close-after}, {@code never-answer}, {@code damage}, {@code answer-twice} or {@code answer-in-two-pieces}. A
   * time is a number with {@code ms}, {@code s}, {@code m} or {@code h}.
   *
   * @param text the words, with spaces between them
   * @return the fault, in force
   * @throws IllegalArgumentException if it cannot be read; the message is one line that says what to write
   */
  public Fault add(String text) {
    return FaultText.add(this, text);
  }

  /** Ends all faults. */
  public void clear() {
    owner.run(rules::clear);
  }

  Fault add(FaultRule rule) {
    owner.run(() -> rules.add(rule));
    return new Fault(this, rule);
  }

  void remove(FaultRule rule) {
    owner.run(() -> rules.remove(rule));
  }

  /** Why there are no requests to a broker; null if there may be some. */
  @Nullable
  String problemOfBroker(int id) {
    int count = owner.call(() -> cluster.brokers().size());
    return id >= 1 && id <= count ? null : count == 1 ? "the only broker is 1" : "the brokers are 1 to " + count;
  }

  /** Why requests do not name a topic; null if they may: clients may make a topic later where there is none now. */
  @Nullable
  String problemOfTopic(String name) {
    String invalid = Topics.problemOf(name);
    if (invalid != null || INTERNAL.contains(name)) {
      return invalid;
    }
    String others = owner.call(() -> {
      Topics topics = cluster.topics();
      return topics.all().isEmpty() || topics.named(name) != null ? "" : topics.inWords();
    });
    return others.isEmpty() ? null : others;
  }

  ReceivedRequest decode(JournalEntry entry) {
    return decoder.apply(entry);
  }
}
