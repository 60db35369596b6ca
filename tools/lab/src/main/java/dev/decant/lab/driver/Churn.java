package dev.decant.lab.driver;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Lets members of a group join, leave and die while they read what another JVM writes, one event after another, each
 * after the group is stable again. Each member has its own client; the member that dies has its own process, which is
 * killed. The group has the topic's name.
 */
final class Churn implements Work {
  private static final long PATIENCE_NANOS = Duration.ofSeconds(60).toNanos();
  private static final long REST_MILLIS = 300;

  /** The work {@code churn}. */
  public static final class Type extends WorkType {
    /** Made by {@link java.util.ServiceLoader}. */
    public Type() {
      super("churn", "an event until the members that are left have all partitions, each one, and records come",
          Topic.FED, spec -> new Churn(spec), Trait.OF_A_GROUP);
    }
  }

  /** The events, in the order in which they happen. */
  private enum Event {
    JOIN, LEAVE, DEATH;

    String key() {
      return name().toLowerCase(Locale.ROOT) + "_p50_ms";
    }
  }

  private final WorkSpec spec;
  private final GroupView view;
  /** The members in this JVM, oldest first; the oldest leaves next. */
  private final ArrayDeque<Member> members = new ArrayDeque<>();
  private final Map<Event, Histogram> byEvent = new EnumMap<>(Event.class);
  private final Histogram latency = new Histogram(Nanos.MOST, 3);
  private final AtomicLong events = new AtomicLong();
  private int opened;

  Churn(WorkSpec spec) throws InterruptedException {
    this.spec = spec;
    this.view = new GroupView(spec.partitions());
    for (Event event : Event.values()) {
      byEvent.put(event, new Histogram(Nanos.MOST, 3));
    }
    for (int i = 1; i < spec.load().threads(); i++) {
      join();
    }
  }

  private void join() {
    Member member = new Member(opened++, view, spec.partitions(), MemberClients.opening(spec));
    members.add(member);
    view.expect(member.number(), true);
    member.join();
  }

  private void leave() {
    Member oldest = members.remove();
    view.expect(oldest.number(), false);
    oldest.leave();
  }

  /**
   * Starts a member that can be killed, and waits until the group is stable. The arrival counts as no event: it takes
   * as long as a JVM takes to start.
   */
  private MortalMember bringMortal() throws InterruptedException {
    int number = opened++;
    view.expect(number, true);
    MortalMember mortal = MortalMember.start(spec, number, view);
    awaitStable("the coming of a process");
    TimeUnit.MILLISECONDS.sleep(REST_MILLIS);
    return mortal;
  }

  @Override
  public long run(long wanted, long deadlineNanos) throws InterruptedException {
    awaitStable("the beginning");
    long done = 0;
    while (done < wanted && System.nanoTime() - deadlineNanos < 0) {
      TimeUnit.MILLISECONDS.sleep(REST_MILLIS);
      Event event = Event.values()[(int) (events.get() % Event.values().length)];
      MortalMember mortal = event == Event.DEATH ? bringMortal() : null;
      long started = System.nanoTime();
      happen(event, mortal);
      awaitStable(event.name().toLowerCase(Locale.ROOT));
      long took = Nanos.since(started);
      latency.recordValue(took);
      Objects.requireNonNull(byEvent.get(event)).recordValue(took);
      events.incrementAndGet();
      done++;
    }
    return Math.max(1, done);
  }

  private void happen(Event event, @Nullable MortalMember mortal) {
    if (mortal != null) {
      view.expect(mortal.number(), false);
      mortal.kill();
    } else if (event == Event.JOIN) {
      join();
    } else {
      leave();
    }
  }

  private void awaitStable(String after) throws InterruptedException {
    if (!view.awaitStable(System.nanoTime() + PATIENCE_NANOS)) {
      throw new IllegalStateException("the group was not stable within " + PATIENCE_NANOS / 1_000_000_000 + " s of "
          + after + "; " + view + failures());
    }
  }

  private String failures() {
    StringBuilder all = new StringBuilder();
    members.forEach(member -> all.append(member.failure().isEmpty() ? "" : "; ").append(member.failure()));
    return all.toString();
  }

  @Override
  public long warmUp(WorkSpec.Amount amount) throws InterruptedException {
    return run(amount.warmUpRecords(), System.nanoTime() + 2 * PATIENCE_NANOS);
  }

  @Override
  public void begin() {
    latency.reset();
    byEvent.values().forEach(Histogram::reset);
    view.forgetCounts();
  }

  @Override
  public long progress() {
    return events.get();
  }

  @Override
  public long checksum() {
    return 0;
  }

  @Override
  public Histogram latency() {
    return latency;
  }

  @Override
  public void figures(long records, Map<String, Double> figures) {
    byEvent.forEach((event, times) -> {
      if (times.getTotalCount() > 0) {
        figures.put(event.key(), times.getValueAtPercentile(50) / 1e6);
      }
    });
    figures.put("lost_records", (double) view.lost());
    figures.put("duplicate_records", (double) view.duplicates());
    figures.put("redelivered_records", (double) view.redelivered());
  }

  @Override
  public void close() {
    members.forEach(Member::leave);
    try {
      for (Member member : members) {
        member.awaitEnd();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
