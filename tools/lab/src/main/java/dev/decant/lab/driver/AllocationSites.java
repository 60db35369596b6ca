package dev.decant.lab.driver;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedClass;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;

/**
 * Finds the places at which a client allocates, by JFR's {@code jdk.ObjectAllocationSample}. With {@code -XX:-UseTLAB}
 * every object is a candidate for a sample, so even a few are found; everything else is too slow then to be measured.
 * One thread at a time.
 */
final class AllocationSites implements AutoCloseable {
  private static final String EVENT = "jdk.ObjectAllocationSample";
  private static final String MOST_SAMPLES = "20000/s";
  private static final int FRAMES = 5;
  private static final int MOST_SITES = 8;

  private final long caller = Thread.currentThread().threadId();
  private final List<Span> spans = new ArrayList<>();
  private final Recording running = new Recording();

  /** A part of the work. */
  interface Part {
    void run() throws Exception;
  }

  private record Span(String way, Instant begin, Instant end) {
    boolean has(Instant time) {
      return !time.isBefore(begin) && time.isBefore(end);
    }
  }

  private record Place(String way, String thread, String type, List<String> frames) {}

  /** Starts the recording. Warm the client up before. */
  AllocationSites() {
    running.enable(EVENT).withStackTrace().with("throttle", MOST_SAMPLES);
    running.start();
  }

  /** Runs a part of the work; its allocations count for one way of the records. */
  void span(String way, Part part) throws Exception {
    Instant begin = Instant.now();
    part.run();
    Instant end = Instant.now(); // before the next class is loaded, which allocates
    spans.add(new Span(way, begin, end));
  }

  /** Returns the largest sites of each way. */
  List<AllocationSite> largest() throws IOException {
    running.stop();
    Path file = Files.createTempFile("decant-lab-", ".jfr");
    try {
      running.dump(file);
      Map<Place, Long> bytes = new HashMap<>();
      Set<Long> threads = new HashSet<>();
      for (RecordedEvent event : inOrder(RecordingFile.readAllEvents(file))) {
        // skip a thread's first sample: it stands for all that the thread has allocated before the recording
        if (event.getThread() != null && !threads.add(event.getThread().getId())) {
          add(event, event.getThread(), bytes);
        }
      }
      return spans.stream().flatMap(span -> largest(span.way, bytes).stream()).toList();
    } finally {
      Files.deleteIfExists(file);
    }
  }

  private static List<RecordedEvent> inOrder(List<RecordedEvent> events) {
    return events.stream().filter(event -> event.getEventType().getName().equals(EVENT))
        .sorted(Comparator.comparing(RecordedEvent::getStartTime)).toList();
  }

  private static List<AllocationSite> largest(String way, Map<Place, Long> bytes) {
    return bytes.entrySet().stream().filter(entry -> entry.getKey().way.equals(way))
        .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder())).limit(MOST_SITES)
        .map(entry -> site(entry.getKey(), entry.getValue())).toList();
  }

  private static AllocationSite site(Place place, long bytes) {
    return new AllocationSite(place.way, place.thread, place.type, bytes, place.frames);
  }

  private void add(RecordedEvent event, RecordedThread thread, Map<Place, Long> bytes) {
    for (Span each : spans) {
      if (each.has(event.getStartTime())) {
        RecordedClass type = event.getClass("objectClass");
        bytes.merge(new Place(each.way, role(thread), type.getName(), frames(event)), event.getLong("weight"),
            Long::sum);
      }
    }
  }

  private String role(RecordedThread thread) {
    String name = String.valueOf(thread.getJavaName());
    return thread.getJavaThreadId() == caller ? "caller" : ThreadBytes.role(name);
  }

  private static List<String> frames(RecordedEvent event) {
    if (event.getStackTrace() == null) {
      return List.of();
    }
    return event.getStackTrace().getFrames().stream().filter(RecordedFrame::isJavaFrame).limit(FRAMES)
        .map(frame -> frame.getMethod().getType().getName() + "." + frame.getMethod().getName() + ":"
            + frame.getLineNumber())
        .toList();
  }

  @Override
  public void close() {
    running.close();
  }
}
