package dev.decant.faults.fix;

import java.util.List;

/**
 * An order that an engine gave to its application. The journal has it before the application returns.
 *
 * @param number MsgSeqNum(34)
 * @param isPossDup PossDupFlag(43)
 * @param id ClOrdID(11)
 */
record ReceivedOrder(long number, boolean isPossDup, String id) {

  private static final String AGAIN = "again";
  private static final String NEW = "new";

  String line() {
    return number + " " + (isPossDup ? AGAIN : NEW) + ' ' + id;
  }

  static List<ReceivedOrder> of(List<String> lines) {
    return lines.stream().map(line -> line.split(" ", -1))
        .map(words -> new ReceivedOrder(Long.parseLong(words[0]), words[1].equals(AGAIN), words[2])).toList();
  }
}
