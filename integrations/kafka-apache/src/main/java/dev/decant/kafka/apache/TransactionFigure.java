package dev.decant.kafka.apache;

/** The times that transactional calls have taken, by Apache's names. */
enum TransactionFigure {
  INIT("txn-init-time-ns-total", "Nanoseconds in initTransactions."),
  BEGIN("txn-begin-time-ns-total", "Nanoseconds in beginTransaction."),
  SEND_OFFSETS("txn-send-offsets-time-ns-total", "Nanoseconds in sendOffsetsToTransaction."),
  COMMIT("txn-commit-time-ns-total", "Nanoseconds in commitTransaction."),
  ABORT("txn-abort-time-ns-total", "Nanoseconds in abortTransaction.");

  final String metric;
  final String description;

  TransactionFigure(String metric, String description) {
    this.metric = metric;
    this.description = description;
  }
}
