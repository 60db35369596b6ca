package dev.decant.lab.live;

/**
 * One event of the page.
 *
 * @param number number from 1, in the order of the events
 * @param type type of the event
 * @param turn turn whose sample the event is about; negative for none
 * @param frame the event as it is sent, see <a
 *     href="https://html.spec.whatwg.org/multipage/server-sent-events.html">the HTML standard, server-sent events</a>
 */
record ServerSentEvent(long number, String type, int turn, String frame) {

  /** The end of the stream; it is not sent. */
  static final ServerSentEvent END = new ServerSentEvent(0, "", -1, "");

  boolean isEnd() {
    return number == 0;
  }

  static ServerSentEvent of(String run, long number, String type, int turn, String data) {
    StringBuilder frame = new StringBuilder("id: ").append(run).append('-').append(number).append("\nevent: ")
        .append(type);
    // each line of the data is a field of its own; the reader joins them with line feeds
    data.lines().forEach(line -> frame.append("\ndata: ").append(line));
    return new ServerSentEvent(number, type, turn, frame.append("\n\n").toString());
  }

  /** Returns the number in an id of a run; 0 for any other id. */
  static long numberOf(String run, String id) {
    String prefix = run + "-";
    return id.startsWith(prefix) && id.substring(prefix.length()).matches("\\d{1,18}")
        ? Long.parseLong(id.substring(prefix.length()))
        : 0;
  }
}
