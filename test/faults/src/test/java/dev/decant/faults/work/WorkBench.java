package dev.decant.faults.work;

import dev.decant.kafka.consumer.GroupProtocol;
import dev.decant.testkit.BrokerNode;
import dev.decant.testkit.KafkaCluster;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A topic, its load, and the members of a group that works on it. The faults of members are made by one thread. */
final class WorkBench implements AutoCloseable {
  static final int PARTITIONS = 6;
  static final int BROKERS = 3;
  private static final Duration RESTART = Duration.ofMinutes(3);
  /** Without a record that is done, the test ends after this. */
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  final KafkaCluster cluster;
  final String topic;
  final WorkMode mode;
  private final Path folder;
  private final KeyedLoad load;
  private final long began = System.nanoTime();
  private final List<MemberProcess> members = new ArrayList<>();
  private final Map<MemberProcess, JournalTail> tails = new HashMap<>();
  private final Set<Task.Id> done = new HashSet<>();
  private final Queue<Span> brokerFaults = new ConcurrentLinkedQueue<>();
  private final Queue<String> events = new ConcurrentLinkedQueue<>();

  /** Creates topics, and begins to send. */
  WorkBench(KafkaCluster cluster, WorkMode mode, Path folder, long seed) throws InterruptedException {
    this.cluster = cluster;
    this.mode = mode;
    this.folder = folder;
    topic = "work-" + mode.name() + "-" + Long.toHexString(seed);
    List<String> topics = new ArrayList<>(mode.retryTopicsOf(topic));
    topics.addAll(List.of(topic, WorkMode.deadLetters(topic), WorkMode.results(topic)));
    cluster.createTopics(topics, PARTITIONS);
    if (mode.protocol() == GroupProtocol.CONSUMER) {
      cluster.configureGroup(WorkMode.group(topic), (int) WorkMode.SESSION_TIMEOUT.toMillis(),
          (int) WorkMode.HEARTBEAT_INTERVAL.toMillis());
    }
    load = new KeyedLoad(cluster.directBootstrap(), topic, mode, seed);
  }

  void event(String text) {
    events.add(Run.millis(System.nanoTime()) + " (" + Run.millis(System.nanoTime() - began) + "): " + text);
  }

  /** Notes a fault of a broker that has ended. */
  void brokerFault(long since, String text) {
    brokerFaults.add(new Span(since, System.nanoTime()));
    event(text);
  }

  void restart(BrokerNode node) {
    node.restart(RESTART);
  }

  // Members.

  MemberProcess addMember() {
    int seat = 1;
    while (isTaken(seat)) {
      seat++;
    }
    MemberProcess member = MemberProcess.start("m" + (members.size() + 1), seat, folder, this);
    members.add(member);
    tails.put(member, member.tail());
    event(member.name + " is started");
    return member;
  }

  private boolean isTaken(int seat) {
    return members.stream().anyMatch(member -> member.isAlive() && member.seat == seat);
  }

  /** Members that work. */
  List<MemberProcess> well() {
    return members.stream().filter(MemberProcess::isWell).toList();
  }

  int starting() {
    return (int) members.stream().filter(MemberProcess::isStarting).count();
  }

  List<MemberProcess> frozen() {
    return members.stream().filter(member -> member.isAlive() && member.isFrozen()).toList();
  }

  void requireNoneEnded() {
    for (MemberProcess member : members) {
      if (member.hasEndedByItself()) {
        throw new AssertionError(member.name + " has ended by itself");
      }
    }
  }

  // Waiting.

  /** How many records are done or have failed for good, as the journals say. */
  int done() throws IOException {
    for (JournalTail tail : tails.values()) {
      tail.forEachNewLine(this::see);
    }
    return done.size();
  }

  private void see(String line) {
    char kind = line.charAt(0);
    if (kind == MemberJournal.SUCCESS || kind == MemberJournal.FAILURE) {
      String[] words = line.split(" ", -1);
      if (kind == MemberJournal.SUCCESS || Integer.parseInt(words[7]) >= mode.attempts()) {
        done.add(new Task.Id(words[5], Long.parseLong(words[6])));
      }
    }
  }

  /** Waits until so many records are done, as long as there is progress. */
  void awaitDone(int target) throws IOException, InterruptedException {
    long progress = System.nanoTime();
    for (int before = -1, now = done(); now < target; now = done()) {
      requireNoneEnded();
      if (now > before) {
        before = now;
        progress = System.nanoTime();
      } else if (System.nanoTime() - progress > PATIENCE.toNanos()) {
        throw new AssertionError("only " + now + " of " + target + " records are done, and none more since "
            + PATIENCE + '\n' + statuses());
      }
      hold(LOOK_AGAIN_NANOS);
    }
  }

  /** Lets the present state last. */
  static void hold(long nanos) throws InterruptedException {
    long end = System.nanoTime() + nanos;
    for (long left = nanos; left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
    }
  }

  private String statuses() {
    StringBuilder text = new StringBuilder();
    for (MemberProcess member : well()) {
      text.append(member.name).append(": ");
      try {
        text.append(member.status());
      } catch (RuntimeException e) {
        text.append(e.getMessage());
      }
      text.append('\n');
    }
    return text.toString();
  }

  void awaitStarted() throws InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (starting() > 0) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("members are not open within " + PATIENCE);
      }
      hold(LOOK_AGAIN_NANOS);
    }
  }

  // The end.

  /** Ends all faults and the load, lets members finish, stops them, and judges what they have done. */
  WorkVerdict finish() throws InterruptedException, IOException {
    for (MemberProcess member : frozen()) {
      member.thaw();
    }
    if (well().isEmpty() && starting() == 0) {
      addMember();
    }
    for (int id = 1; id <= BROKERS; id++) {
      BrokerNode node = cluster.node(id);
      if (node.isAlive()) {
        node.resume();
      } else {
        restart(node);
      }
    }
    cluster.awaitInSync(topic);
    Set<Place> acknowledged = load.finish();
    event("the load has ended: " + acknowledged.size() + " records");
    awaitDone(acknowledged.size());
    event("all are done");
    awaitStarted();
    for (MemberProcess member : well()) {
      member.stop();
    }
    for (MemberProcess member : members) {
      member.awaitEnd();
    }
    return judge(acknowledged);
  }

  private WorkVerdict judge(Set<Place> acknowledged) throws IOException {
    List<StoredTask> stored = read(topic);
    Map<Integer, Long> ends = new HashMap<>();
    stored.forEach(record -> ends.merge(record.place().partition(), record.place().offset() + 1, Math::max));
    List<StoredTask> copies = new ArrayList<>();
    for (String retryTopic : mode.retryTopicsOf(topic)) {
      copies.addAll(read(retryTopic));
    }
    List<MemberHistory> histories = new ArrayList<>();
    for (MemberProcess member : members) {
      histories.add(member.history());
    }
    CommitLog commits = CommitLog.read(cluster.directBootstrap(), WorkMode.group(topic));
    event(commits.summary());
    Files.write(folder.resolve("commits"), commits.lines());
    WorkVerdict verdict = WorkVerdict.of(new Evidence(mode, histories, new Evidence.Topics(stored, copies,
        tasks(WorkMode.deadLetters(topic)), tasks(WorkMode.results(topic))), acknowledged, commits,
        List.copyOf(brokerFaults)));
    commits.uncommitted(topic, ends).forEach(verdict::add);
    return verdict;
  }

  private List<Task> tasks(String of) {
    return read(of).stream().map(StoredTask::task).toList();
  }

  /** The committed records of a topic. */
  private List<StoredTask> read(String of) {
    List<StoredTask> read = new ArrayList<>();
    TopicReader.readAll(cluster.directBootstrap(), of,
        record -> read.add(new StoredTask(new Place(of, record.partition(), record.offset()), task(record.value()))));
    return read;
  }

  private static Task task(byte[] value) {
    return Task.parse(new String(value, StandardCharsets.UTF_8));
  }

  /** The schedule of faults, and what members have said. */
  String report() {
    StringBuilder text = new StringBuilder("events:\n");
    events.forEach(event -> text.append("  ").append(event).append('\n'));
    for (MemberProcess member : members) {
      try {
        MemberHistory history = member.history();
        history.problems().forEach(problem -> text.append("  ").append(member.name).append(": ")
            .append(Run.millis(problem.nanos())).append(": ").append(problem.text()).append('\n'));
        history.errors().forEach(
            error -> text.append("  ").append(member.name).append(" error: ").append(error).append('\n'));
        member.logged().forEach(line -> text.append("  ").append(member.name).append(" log: ").append(line)
            .append('\n'));
      } catch (IOException e) {
        text.append(member.name).append(": ").append(e).append('\n');
      }
    }
    return text.toString();
  }

  @Override
  public void close() {
    members.forEach(MemberProcess::close);
    load.close();
  }
}
