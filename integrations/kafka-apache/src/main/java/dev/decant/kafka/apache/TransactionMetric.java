package dev.decant.kafka.apache;

/** The transactional calls whose times are metrics, by Apache's names. */
enum TransactionMetric {
  INIT("init", "initTransactions"),
  BEGIN("begin", "beginTransaction"),
  SEND_OFFSETS("send-offsets", "sendOffsetsToTransaction"),
  COMMIT("commit", "commitTransaction"),
  ABORT("abort", "abortTransaction"),
  PREPARE("prepare", "prepareTransaction");

  final String metric;
  final String description;

  TransactionMetric(String name, String method) {
    this.metric = "txn-" + name + "-time-ns-total";
    this.description = "Total time producer has spent in " + method + " in nanoseconds.";
  }
}
