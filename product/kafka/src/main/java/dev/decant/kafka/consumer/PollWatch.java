package dev.decant.kafka.consumer;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.group.GroupMember;
import dev.decant.kafka.internal.ClientInternals;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.loop.Timer;
import java.util.concurrent.TimeUnit;

/**
 * Watches that the application polls ({@code max.poll.interval.ms}). Four times per interval the loop sets a mark,
 * which the next poll clears by a task, so a poll reads no clock. Half an interval without a poll is reported as an
 * event. A whole one ends the membership until the next poll.
 */
final class PollWatch {
  private static final int STEPS = 4;

  private final ClientInternals client;
  private final GroupOptions options;
  private final GroupMember member;
  private final PollThreadTasks tasks;
  private final Timer timer = new Timer(this::check);
  private final long stepNanos;
  /** True while no poll has followed the last mark. Set by the owner of the loop, cleared by the polling thread. */
  private volatile boolean marked;
  /** Number of steps since the mark was set. Owner of the loop only. */
  private int steps;

  PollWatch(ClientInternals client, GroupOptions options, GroupMember member, PollThreadTasks tasks) {
    this.client = client;
    this.options = options;
    this.member = member;
    this.tasks = tasks;
    this.stepNanos = options.maxPollIntervalNanos() / STEPS;
  }

  /** Starts the timer. Owner of the loop. */
  void start() {
    if (options.maxPollIntervalNanos() > 0) {
      client.loop().schedule(timer, client.loop().nowNanos() + stepNanos);
    }
  }

  /** Stops the timer. Owner of the loop. */
  void stop() {
    client.telemetry().problems().end(this);
    client.loop().cancel(timer);
  }

  private void clearMark() {
    marked = false;
    client.telemetry().problems().end(this);
  }

  private void check() {
    if (!marked) {
      steps = 0;
      marked = true;
      tasks.add(this::clearMark);
    } else if (++steps == STEPS / 2) {
      client.telemetry().group().pollStalled(options.member().groupId(), steps * stepNanos);
      client.telemetry().problems().begin(this,
          "group " + options.member().groupId() + ": the application has not polled"
              + " within half of max.poll.interval.ms, and has been late",
          null);
    } else if (steps >= STEPS) {
      // At each further step, not once: a member that was joining at the first step had no partitions to lose. It would
      // keep the partitions that it gets later, although the application never polls.
      long millis = TimeUnit.NANOSECONDS.toMillis(options.maxPollIntervalNanos());
      member.stalled(new KafkaException(ErrorCode.POLL_INTERVAL_EXCEEDED, "group " + options.member().groupId()
          + ": the application has not polled for " + millis
          + " ms, max.poll.interval.ms; its partitions go to others until it does"));
    }
    start();
  }
}
