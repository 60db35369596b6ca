/**
 * The FIX engine under faults, with QuickFIX/J as its counterparty: processes that are killed or frozen, and networks
 * that are cut, half-open, slow or in pieces. Files that survive a kill tell what each engine accepted and received.
 */
@NullMarked
package dev.decant.faults.fix;

import org.jspecify.annotations.NullMarked;
