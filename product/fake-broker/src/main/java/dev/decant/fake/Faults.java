package dev.decant.fake;

import dev.decant.fake.fault.FaultRule;
import dev.decant.fake.fault.FaultRules;
import dev.decant.fake.journal.JournalEntry;
import dev.decant.kafka.protocol.ApiKey;
import java.util.function.Function;

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
  private final OwnerThread owner;
  private final FaultRules rules;
  private final Function<JournalEntry, ReceivedRequest> decoder;

  Faults(OwnerThread owner, FaultRules rules, Function<JournalEntry, ReceivedRequest> decoder) {
    this.owner = owner;
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
   * fault hits one request. The last word says what happens: {@code answer=ERROR}, {@code delay=TIME}, {@code
   * answer-after=TIME}, {@code throttle=TIME}, {@code close-before}, {@code close-after}, {@code never-answer}, {@code
   * damage}, {@code answer-twice} or {@code answer-in-two-pieces}. A time is a number with {@code ms}, {@code s},
   * {@code m} or {@code h}.
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

  ReceivedRequest decode(JournalEntry entry) {
    return decoder.apply(entry);
  }
}
