package dev.decant.faults.work;

/** A record of the main topic. */
record StoredTask(Place place, Task task) {}
