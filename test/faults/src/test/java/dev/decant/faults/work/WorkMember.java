package dev.decant.faults.work;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.client.KafkaClient;
import dev.decant.kafka.consumer.ConsumerBuilder;
import dev.decant.kafka.consumer.ConsumerRecord;
import dev.decant.kafka.consumer.GroupProtocol;
import dev.decant.kafka.event.GroupListener;
import dev.decant.kafka.serialization.Serdes;
import dev.decant.kafka.work.Retry;
import dev.decant.kafka.work.RetryTopics;
import dev.decant.kafka.work.Work;
import dev.decant.kafka.work.WorkBuilder;
import dev.decant.kafka.work.WorkContext;
import dev.decant.kafka.work.WorkListener;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A process with one work, which journals each attempt. SIGTERM closes the work; so does the end of standard input.
 *
 * <p>Arguments: name, folder, addresses of brokers, topic, transactional id, and the text of the {@link WorkMode}.
 */
final class WorkMember {
  /** A line of standard output: the work is open, and SIGTERM closes it. */
  static final String OPEN = "open";
  private static final int CONCURRENCY = 16;
  private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(3);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(20);

  private final MemberJournal journal;
  private final String topic;
  private final String transactionalId;
  private final WorkMode mode;

  private WorkMember(MemberJournal journal, String topic, String transactionalId, WorkMode mode) {
    this.journal = journal;
    this.topic = topic;
    this.transactionalId = transactionalId;
    this.mode = mode;
  }

  static Path journal(Path folder, String name) {
    return folder.resolve(name + ".journal");
  }

  public static void main(String[] arguments) throws InterruptedException, IOException {
    MemberJournal journal = new MemberJournal(journal(Path.of(arguments[1]), arguments[0]));
    WorkMember member = new WorkMember(journal, arguments[3], arguments[4], WorkMode.parse(arguments[5]));
    KafkaClient client = KafkaClient.builder(arguments[2]).clientId(arguments[0]).requestTimeout(REQUEST_TIMEOUT)
        .connectTimeout(REQUEST_TIMEOUT).runtimeCheck(false).build();
    client.events().watchGroups(member.new Losses());
    Work work = member.open(client);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> member.close(work, client)));
    Thread.ofPlatform().daemon(true).name("end").start(() -> member.endWith(work));
    System.out.println(OPEN);
    BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String request = requests.readLine(); request != null; request = requests.readLine()) {
      System.out.println("ok " + work.status());
    }
    System.exit(0);
  }

  private Work open(KafkaClient client) throws InterruptedException {
    WorkBuilder<String, String> builder = Work.on(client, Serdes.string(), Serdes.string())
        .group(WorkMode.group(topic)).subscribe(topic).order(mode.order()).concurrency(CONCURRENCY)
        .retry(retry()).deadLetters(WorkMode.deadLetters(topic)).listener(new Reports()).consumer(this::settings);
    if (mode.isExactlyOnce()) {
      builder.exactlyOnce(transactionalId);
    } else {
      builder.commitEvery(WorkMode.COMMIT_INTERVAL, Integer.MAX_VALUE);
    }
    return (mode.isVirtual() ? builder.onVirtualThreads() : builder.onPlatformThreads()).open(this::handle);
  }

  private Retry retry() {
    Retry inPlace = Retry.inPlace(mode.retriesInPlace(), WorkMode.RETRY_PAUSE);
    return mode.hasRetryTopics()
        ? inPlace.then(
            RetryTopics.named(WorkMode.retryTopics(topic), WorkMode.RETRY_DELAYS.toArray(Duration[]::new)))
        : inPlace;
  }

  private ConsumerBuilder<String, String> settings(ConsumerBuilder<String, String> builder) {
    builder.groupProtocol(mode.protocol());
    if (mode.hasRetryTopics() && mode.protocol() == GroupProtocol.CONSUMER) {
      builder.assignor("range"); // the partitions with one number are to be at one member
    }
    return mode.protocol() == GroupProtocol.CONSUMER // the broker has the times of such a group
        ? builder
        : builder.sessionTimeout(WorkMode.SESSION_TIMEOUT).heartbeatInterval(WorkMode.HEARTBEAT_INTERVAL);
  }

  private void handle(ConsumerRecord<String, String> record, WorkContext context) throws InterruptedException {
    Task task = Task.parse(Objects.requireNonNull(record.value(), "value"));
    String at = record.topic() + ' ' + record.partition() + ' ' + record.offset() + ' ' + task.key() + ' '
        + task.sequence() + ' ' + context.attempt();
    journal.write(MemberJournal.BEGIN, at);
    if (task.workMillis() > 0) {
      try {
        TimeUnit.MILLISECONDS.sleep(task.workMillis()); // the work itself
      } catch (InterruptedException e) {
        journal.write(MemberJournal.INTERRUPT, at);
        throw e;
      }
    }
    if (task.fails(context.attempt())) {
      journal.write(MemberJournal.FAILURE, at);
      throw new IllegalStateException("attempt " + context.attempt() + " fails");
    }
    if (mode.isExactlyOnce()) {
      context.produce(WorkMode.results(topic), null, task.text().getBytes(StandardCharsets.UTF_8), null);
    }
    journal.write(MemberJournal.SUCCESS, at);
  }

  /** A work that fails by itself ends the process. */
  private void endWith(Work work) {
    try {
      work.awaitClose();
    } catch (KafkaException e) {
      journal.write(MemberJournal.ERROR, e + " because " + e.getCause());
      Runtime.getRuntime().halt(1);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void close(Work work, KafkaClient client) {
    work.close(CLOSE_TIMEOUT);
    client.close();
    journal.write(MemberJournal.CLOSED, topic);
  }

  /** Journals the end of a membership that the member did not ask for. */
  private final class Losses implements GroupListener {
    @Override
    public void onLost(String group, KafkaException cause) {
      journal.write(MemberJournal.LOST, String.valueOf(cause));
    }
  }

  /** Journals what the work reports. */
  private final class Reports implements WorkListener {
    @Override
    public void onRetryTopic(TopicPartition partition, long offset, String retryTopic, int attempts,
        @Nullable Throwable error) {
      journal.write(MemberJournal.COPY,
          partition.topic() + ' ' + partition.partition() + ' ' + offset + ' ' + retryTopic);
    }

    @Override
    public void onProblem(String what, Throwable error) {
      journal.write(MemberJournal.PROBLEM, what + " because " + error);
    }
  }
}
