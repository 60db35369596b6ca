package dev.decant.faults.work;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** What a member's journal has, and what the test did to the member. Filled by one thread. */
final class MemberHistory {
  /** Handlers are interrupted so long after the loss of a partition, at most. */
  private static final long INTERRUPT_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** A member notices so long after a freeze that it was lost, at most: it had heartbeats to send. */
  private static final long NOTICE_NANOS = TimeUnit.SECONDS.toNanos(20);

  /** A record that the member has copied to a retry topic, or was about to. */
  record Copy(MemberHistory member, Place from, String to, long nanos) {
    boolean isOfAZombie() {
      return member.zombieSpans.stream().anyMatch(span -> span.meets(nanos, nanos));
    }

    @Override
    public String toString() {
      return from + " to " + to + " by " + member.name + " at " + Run.millis(nanos);
    }
  }

  /** Something that the work has said. */
  record Problem(long nanos, String text) {}

  private final String name;
  private final List<Run> runs = new ArrayList<>();
  private final List<Copy> copies = new ArrayList<>();
  private final Map<Place, Run> current = new HashMap<>();
  private final List<Long> losses = new ArrayList<>();
  private final List<Problem> problems = new ArrayList<>();
  private final List<String> errors = new ArrayList<>();
  private final List<Span> zombieSpans = new ArrayList<>();
  private final List<Span> freezes;
  private final long killed;
  private boolean isClosed;

  /**
   * Begins a history without events.
   *
   * @param killed when the test killed the member; {@link Span#NEVER} if it did not
   * @param freezes the times in which the test froze the member
   */
  MemberHistory(String name, long killed, List<Span> freezes) {
    this.name = name;
    this.killed = killed;
    this.freezes = List.copyOf(freezes);
  }

  /** Takes the whole lines of a file: a kill may cut the last one off. */
  void read(Path journal) throws IOException {
    String text = Files.readString(journal, StandardCharsets.UTF_8);
    int from = 0;
    for (int to = text.indexOf('\n'); to >= 0; to = text.indexOf('\n', from)) {
      line(text.substring(from, to));
      from = to + 1;
    }
    finish();
  }

  void line(String line) {
    String[] words = line.split(" ", 3);
    long nanos = Long.parseLong(words[1]);
    switch (line.charAt(0)) {
      case MemberJournal.COPY -> copy(nanos, words[2].split(" ", -1));
      case MemberJournal.LOST -> losses.add(nanos);
      case MemberJournal.PROBLEM -> problems.add(new Problem(nanos, words[2]));
      case MemberJournal.CLOSED -> isClosed = true;
      case MemberJournal.ERROR -> errors.add(words[2]);
      default -> attempt(line.charAt(0), nanos, words[2].split(" ", -1));
    }
  }

  private void copy(long nanos, String[] words) {
    copies.add(new Copy(this, new Place(words[0], Integer.parseInt(words[1]), Long.parseLong(words[2])), words[3],
        nanos));
  }

  private void attempt(char kind, long nanos, String[] words) {
    Place place = new Place(words[0], Integer.parseInt(words[1]), Long.parseLong(words[2]));
    Task.Id task = new Task.Id(words[3], Long.parseLong(words[4]));
    int attempt = Integer.parseInt(words[5]);
    Run run = current.get(place);
    if (kind == MemberJournal.BEGIN) {
      if (run == null || run.end != Run.End.FAILURE || run.attempt + 1 != attempt) {
        run = new Run(this, place, task, nanos);
        runs.add(run);
        current.put(place, run);
      }
      run.attempt = attempt;
      run.end = Run.End.NONE;
      run.ended = Span.NEVER;
    } else if (run != null) {
      run.ended = nanos;
      run.end = switch (kind) {
        case MemberJournal.SUCCESS -> Run.End.SUCCESS;
        case MemberJournal.FAILURE -> Run.End.FAILURE;
        default -> Run.End.INTERRUPT;
      };
    }
  }

  /** Concludes after the last line: what ran at a kill ended with it, and freezes may have made a zombie. */
  void finish() {
    for (Run run : runs) {
      if (run.ended == Span.NEVER && killed != Span.NEVER) {
        run.ended = killed;
      }
    }
    for (Span freeze : freezes) {
      long noticed = Math.min(killed, losses.stream().filter(loss -> loss >= freeze.from()).findFirst()
          .map(loss -> loss + INTERRUPT_NANOS).orElse(Span.NEVER));
      if (noticed - NOTICE_NANOS <= freeze.to()) { // else the member was not removed from its group
        zombieSpans.add(new Span(freeze.from(), noticed));
      }
    }
    for (long loss : losses) {
      if (!isOfAFreeze(loss)) {
        zombieSpans.add(new Span(loss - WorkMode.SESSION_TIMEOUT.toNanos(), loss + INTERRUPT_NANOS));
      }
    }
  }

  private boolean isOfAFreeze(long loss) {
    return zombieSpans.stream().anyMatch(span -> span.to() == loss + INTERRUPT_NANOS);
  }

  /** Whether the member was killed, frozen or lost so that it may not have committed what it did from then on. */
  boolean mayRepeat(long since, long until) {
    return (since <= killed && killed <= until)
        || zombieSpans.stream().anyMatch(span -> span.from() <= until && since <= span.to());
  }

  /** Returns the first of these times; {@link Span#NEVER} if there is none. */
  long failedAfter(long since) {
    long first = since <= killed ? killed : Span.NEVER;
    for (Span span : zombieSpans) {
      if (since <= span.from()) {
        first = Math.min(first, span.from());
      }
    }
    return first;
  }

  /** Whether the member has said that a commit failed. */
  boolean hasMissedACommit(long since, long until) {
    return hadProblem("were not committed", since, until);
  }

  /** Whether the member has said that it does not know what others have done. */
  boolean hasMissedWhatIsDone(long until) {
    return hadProblem("may be done again", Long.MIN_VALUE, until);
  }

  private boolean hadProblem(String text, long since, long until) {
    return problems.stream()
        .anyMatch(problem -> since <= problem.nanos && problem.nanos <= until && problem.text.contains(text));
  }

  String name() {
    return name;
  }

  List<Run> runs() {
    return runs;
  }

  List<Copy> copies() {
    return copies;
  }

  List<Span> zombieSpans() {
    return zombieSpans;
  }

  int losses() {
    return losses.size();
  }

  List<Problem> problems() {
    return problems;
  }

  List<String> errors() {
    return errors;
  }

  boolean wasKilled() {
    return killed != Span.NEVER;
  }

  boolean isClosed() {
    return isClosed;
  }
}
