/**
 * Parallel work under faults: brokers and members that are killed, frozen, stopped and added. An oracle compares the
 * members' journals with what is stored and committed.
 */
@NullMarked
package dev.decant.faults.work;

import org.jspecify.annotations.NullMarked;
