package dev.decant.kafka.interleaving;

import dev.decant.kafka.assignor.Assignors;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.client.SimulatedClient;
import dev.decant.kafka.consumer.Consumer;
import dev.decant.kafka.consumer.ConsumerBuilder;
import dev.decant.kafka.consumer.GroupProtocol;
import dev.decant.kafka.consumer.OffsetReset;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.loop.EventLoop;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * A real consumer on a loop that only the test's thread drives. Each round of the loop is one step of the world
 * outside: while the application waits, between two of its steps, and within its handlers.
 */
final class Simulation implements AutoCloseable {
  static final int PARTITIONS = 3;
  private static final int MOST_STEPS_OF_A_CALL = 20_000;
  private static final int STANDING_ROUNDS = 4;
  private static final int MOST_POLLS_TO_SETTLE = 600;
  private static final Duration POLL = Duration.ofMillis(200);

  /** A step that a test prescribes. */
  interface Step {
    void run(Simulation simulation) throws InterruptedException;
  }

  /** What the world does in a round. */
  private enum Pace {
    /** A random step. */
    WALK,
    /** A step that leads on. */
    GO_ON,
    /** No step, unless the application waits for one. */
    STAND
  }

  final SimulatedClock clock = new SimulatedClock();
  final Ledger ledger = new Ledger(clock);
  final Outside outside;
  final Application application;
  final SimulatedBroker broker;
  private final Setup setup;
  private final EventLoop loop;
  private final KafkaClient client;
  private final Consumer<byte[], byte[]> consumer;
  private Pace pace = Pace.STAND;
  private int steps;
  private final Handler log = new Handler() {
    @Override
    public void publish(LogRecord record) {
      if (record.getLevel().intValue() >= Level.WARNING.intValue()) {
        ledger.fail("logged: " + record.getMessage() + " " + record.getThrown());
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  };

  Simulation(Setup setup, Choices choices) {
    this.setup = setup;
    SimulatedGroup group = setup.kind() == Setup.Kind.CONSUMER
        ? new SimulatedConsumerGroup(clock, ledger)
        : new SimulatedClassicGroup(clock, ledger, setup.kind() == Setup.Kind.COOPERATIVE);
    broker = new SimulatedBroker(clock, ledger, group, PARTITIONS);
    SimulatedNetwork network = new SimulatedNetwork(clock, broker);
    outside = new Outside(clock, ledger, choices, broker, network);
    application = new Application(ledger, choices, broker, this::turn);
    loop = EventLoop.withoutThread("simulated", clock);
    loop.execute(() -> loop.add(this::round));
    client = SimulatedClient.open(loop, network);
    Logger.getLogger("").addHandler(log);
    group.want(Set.of(0, 1));
    for (int p = 0; p < PARTITIONS; p++) {
      broker.append(p, 2);
    }
    if (setup.autoCommit() && !setup.stormy()) {
      ledger.requireCommitsBeforeRevocation();
    }
    consumer = open();
    application.uses(consumer);
  }

  private Consumer<byte[], byte[]> open() {
    ConsumerBuilder<byte[], byte[]> builder = client.consumer(Serdes.bytes(), Serdes.bytes()).group("billing")
        .subscribe(SimulatedBroker.TOPIC).offsetReset(OffsetReset.EARLIEST).maxPollRecords(4)
        .fetchMaxWait(Duration.ofMillis(300)).autoCommit(setup.autoCommit())
        .autoCommitInterval(Duration.ofMillis(700)).maxPollInterval(Duration.ZERO)
        .revocationTimeout(Duration.ofSeconds(40)).apiTimeout(Duration.ofSeconds(4)).rebalanceListener(application);
    switch (setup.kind()) {
      case CONSUMER -> builder.groupProtocol(GroupProtocol.CONSUMER);
      case EAGER -> classic(builder).assignors(Assignors.range());
      case COOPERATIVE -> classic(builder).assignors(Assignors.cooperativeSticky());
    }
    return builder.open();
  }

  private static ConsumerBuilder<byte[], byte[]> classic(ConsumerBuilder<byte[], byte[]> builder) {
    return builder.groupProtocol(GroupProtocol.CLASSIC)
        .sessionTimeout(Duration.ofMillis(SimulatedGroup.SESSION_MILLIS))
        .heartbeatInterval(Duration.ofMillis(SimulatedGroup.INTERVAL_MILLIS));
  }

  /** Runs as an agent of the loop: one step of the world per round. */
  private int round() {
    loop.signal(); // never wait for a network that does not exist
    if (++steps > MOST_STEPS_OF_A_CALL) {
      if (steps == MOST_STEPS_OF_A_CALL + 1) {
        ledger.fail("a call of the application does not return");
        Thread.currentThread().interrupt();
      }
      clock.forward(1_000);
      return 1;
    }
    switch (pace) {
      case WALK -> outside.walk(setup.stormy());
      case GO_ON -> outside.goOn();
      case STAND -> {
        if (steps > STANDING_ROUNDS) {
          outside.goOn();
        }
      }
    }
    return 1;
  }

  /** Runs rounds of the loop, as its own thread would while the application works. */
  void turn(int count) throws InterruptedException {
    int[] left = {count};
    loop.driveUntil(() -> left[0]-- <= 0, Long.MAX_VALUE);
  }

  /** Takes a prescribed step, and the rounds that follow from it within the client. */
  void take(Step step) throws InterruptedException {
    callBegins();
    step.run(this);
    callBegins();
    turn(STANDING_ROUNDS);
  }

  /** Makes the coordinator respond to the member, and to the requests that follow. */
  void groupAnswers() throws InterruptedException {
    for (int i = 0; i < 3 && outside.answerOldest(Outside::isOfGroup); i++) {
      callBegins();
      turn(STANDING_ROUNDS);
    }
  }

  /** Makes the member read the first records of two partitions; handlers only read from then on. */
  void begin() throws InterruptedException {
    pace = Pace.GO_ON;
    application.onlyReads();
    while (ledger.position(0) < 1 || ledger.position(1) < 1) {
      callBegins();
      application.poll(POLL);
      if (ledger.violation() != null) {
        return;
      }
    }
    pace = Pace.STAND;
    ledger.step("the order begins");
  }

  private void callBegins() {
    steps = 0;
  }

  /** Takes steps of the application, with steps of the world between and within them. */
  void walk(int count) throws InterruptedException {
    pace = Pace.WALK;
    for (int i = 0; i < count && ledger.violation() == null; i++) {
      callBegins();
      application.walk();
    }
    pace = Pace.STAND;
  }

  /** Ends all disturbances: the member must get its partitions and read them to the end. */
  void settle() throws InterruptedException {
    ledger.step("the world calms down");
    pace = Pace.GO_ON;
    callBegins();
    application.calmDown();
    for (int p = 0; p < PARTITIONS; p++) {
      outside.append(p, 1);
    }
    for (int i = 0; i < MOST_POLLS_TO_SETTLE && ledger.violation() == null; i++) {
      if (isSettled()) {
        return;
      }
      callBegins();
      application.poll(POLL);
    }
    ledger.fail("the member does not get where it should: it has " + ledger.owned() + " and should have "
        + broker.group().target() + "; ends " + ends() + ", positions " + positions());
  }

  private boolean isSettled() {
    Set<Integer> owned = ledger.owned();
    return broker.group().isSettled() && owned.equals(broker.group().target())
        && owned.stream().allMatch(p -> ledger.isAt(p, broker.end(p)));
  }

  private String ends() {
    Set<String> ends = new TreeSet<>();
    ledger.owned().forEach(p -> ends.add(p + "@" + broker.end(p)));
    return ends.toString();
  }

  private String positions() {
    Set<String> positions = new TreeSet<>();
    ledger.owned().forEach(p -> positions.add(p + "@" + ledger.position(p)));
    return positions.toString();
  }

  /** Closes the consumer. Its positions must be committed, its listener called, and each commit must have ended. */
  void leave() {
    pace = Pace.GO_ON;
    callBegins();
    ledger.step("close");
    if (setup.autoCommit()) {
      ledger.requireCommitsBeforeRevocation();
    }
    consumer.close();
    ledger.step("closed");
    if (!ledger.owned().isEmpty()) {
      ledger.fail("after close nobody has told the end of " + ledger.owned());
    }
    if (application.commitsNotReported() != 0) {
      ledger.fail(application.commitsNotReported() + " listeners of commits were not called as often as they should");
    }
    if (broker.group().present) {
      ledger.fail("the group has not heard a farewell");
    }
  }

  @Override
  public void close() {
    pace = Pace.GO_ON;
    callBegins();
    client.close();
    Logger.getLogger("").removeHandler(log);
  }
}
