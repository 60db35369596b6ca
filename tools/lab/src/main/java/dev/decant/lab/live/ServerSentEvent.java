package dev.decant.lab.live;

/**
 * One event of the page.
 *
 * @param number from 1, in the order in which the events have come
 * @param type what happened
 * @param turn whose sample it is about; negative if about none
 * @param frame as it is sent, see <a href="https://html.spec.whatwg.org/multipage/server-sent-events.html">the HTML
 *     standard, server-sent events</a>
 */
record ServerSentEvent(long number, String type, int turn, String frame) {

  /** No event: it is not sent, the stream ends there. */
  static final ServerSentEvent END = new ServerSentEvent(0, "", -1, "");

  boolean isEnd() {
    return number == 0;
  }

  static ServerSentEvent of(String run, long number, String type, int turn, String data) {
    StringBuilder frame = new StringBuilder("id: ").append(run).append('-').append(number).append("\nevent: ")
        .append(type);
    // each line of the data is a field of its own; whoever reads puts them together with line feeds
    data.lines().forEach(line -> frame.append("\ndata: ").append(line));
    return new ServerSentEvent(number, type, turn, frame.append("\n\n").toString());
  }

  /** The number in an id of that run, or 0 if it is none. */
  static long numberOf(String run, String id) {
    String prefix = run + "-";
    return id.startsWith(prefix) && id.substring(prefix.length()).matches("\\d{1,18}")
        ? Long.parseLong(id.substring(prefix.length()))
        : 0;
  }
}
