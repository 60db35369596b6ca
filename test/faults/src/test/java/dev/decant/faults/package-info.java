/**
 * The client under faults: brokers that die, freeze or come and go, and networks that are slow, cut or half-open. What
 * became of each record is compared with what Apache's consumer finds.
 */
@NullMarked
package dev.decant.faults;

import org.jspecify.annotations.NullMarked;
