package dev.decant.faults.work;

/** Where a record is stored. */
record Place(String topic, int partition, long offset) {
  @Override
  public String toString() {
    return topic + '-' + partition + '@' + offset;
  }
}
