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
 * The faults of the brokers, which a test injects before the requests arrive. Rules are tried in the order in which
 * they were made; the first rule that matches a request decides. Any thread.
 *
 * <pre>
 * kafka.faults().on(ApiKey.PRODUCE).topic("orders").nth(2).answer(ErrorCode.NOT_LEADER_OR_FOLLOWER);
 * kafka.faults().on(ApiKey.FETCH).every().delay(Duration.ofMillis(200));
 * </pre>
 */
public final class Faults {
  /** Topics that brokers create when they need them. */
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
   * Starts a fault for requests of an API.
   *
   * @param api the API
   * @return a builder for the next of these requests, unless more are chosen
   */
  public FaultBuilder on(ApiKey api) {
    return new FaultBuilder(this, api);
  }

  /**
   * Starts a fault for requests of all APIs.
   *
   * @return a builder for the next request, unless more are chosen
   */
  public FaultBuilder onAny() {
    return new FaultBuilder(this, null);
  }

  /**
   * Puts a fault in force that is given as words, in the form of the command line and of {@code @FakeKafka}:
   *
   * <pre>
   * Produce topic=orders nth=2 answer=NOT_LEADER_OR_FOLLOWER
   * any client=shop every delay=200ms
   * </pre>
   *
   * <p>The first word is the API by Kafka's name, or {@code any}. Then come the conditions {@code broker=ID}, {@code
   * client=ID} and {@code topic=NAME}, and {@code nth=N}, {@code first=N} or {@code every}; without one of these three
   * the fault hits one request. The topic must exist, unless the cluster has no topic yet. The last word is the fault:
   * {@code answer=ERROR}, {@code delay=TIME}, {@code answer-after=TIME}, {@code throttle=TIME}, {@code close-before},
   * {@code close-after}, {@code never-answer}, {@code damage}, {@code answer-twice} or {@code answer-in-two-pieces}. A
   * time is a number with {@code ms}, {@code s}, {@code m} or {@code h}.
   *
   * @param text the words, with spaces between them
   * @return the fault, in force
   * @throws IllegalArgumentException if the text cannot be read; the message is one line that says what to write
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

  /** Returns why there can be no requests to a broker; null if there can. */
  @Nullable
  String problemOfBroker(int id) {
    int count = owner.call(() -> cluster.brokers().size());
    return id >= 1 && id <= count ? null : count == 1 ? "the only broker is 1" : "the brokers are 1 to " + count;
  }

  /**
   * Returns why requests cannot name a topic; null if they can. A cluster without topics accepts any name, since
   * clients may create the topic later.
   */
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
