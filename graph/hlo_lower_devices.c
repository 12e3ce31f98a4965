/* hlo_lower_devices.c: from the ids in a dump to device numbers.
 *
 * A module runs on replicas x partitions; we model modules where one of the
 * two is 1, so a device is a partition or a replica. Which of them an id
 * means depends on channel_id and use_global_device_ids (group_mode). Dumps
 * of Neuron say neither count: the groups tell. */
#include "graph/hlo_lower_i.h"

#include <string.h>

typedef struct collective {
  const char *opcode;
  bool has_global_flag; /* has use_global_device_ids, default false */
} collective;

static const collective collectives[] = {
    {"all-reduce", true},          {"all-gather", true},
    {"reduce-scatter", true},      {"all-to-all", false},
    {"collective-permute", false}, {"collective-broadcast", false},
    {"ragged-all-to-all", false},
};

static const collective *collective_find(const char *opcode, bool start) {
  for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++) {
    size_t n = strlen(collectives[i].opcode);
    if (strncmp(opcode, collectives[i].opcode, n) == 0 &&
        (opcode[n] == '\0' || (start && strcmp(opcode + n, "-start") == 0))) {
      return &collectives[i];
    }
  }
  return NULL;
}

bool spi_is_collective(const char *opcode) {
  return collective_find(opcode, false) != NULL;
}

/* As XLA's GetCollectiveOpGroupMode. */
static hlo_group_mode group_mode(hlo_lower *lw, const hlo_instr *in,
                                 const collective *c) {
  const sp_attr *global = spi_instr_attr(in, "use_global_device_ids");
  bool flat = global && global->u.i;
  if (!spi_instr_attr(in, "channel_id")) {
    if (flat) {
      spi_lower_fail(lw, in, NULL, "use_global_device_ids without channel_id");
    }
    return HLO_GROUPS_REPLICAS;
  }
  if (flat) {
    return HLO_GROUPS_FLAT;
  }
  return c->has_global_flag ? HLO_GROUPS_BOTH : HLO_GROUPS_PARTITIONS;
}

/* The largest id that the instruction names, or -1. */
static int64_t largest_id(const hlo_instr *in) {
  int64_t top = -1;
  const sp_attr *groups = spi_instr_attr(in, "replica_groups");
  if (groups) {
    const sp_groups *g = groups->u.groups;
    for (uint32_t i = 0; i < g->start[g->n_groups]; i++) {
      top = g->ids[i] > top ? g->ids[i] : top;
    }
  }
  const sp_attr *pairs = spi_instr_attr(in, "source_target_pairs");
  for (size_t i = 0; pairs && i < pairs->n; i++) {
    top = pairs->u.ints[i] > top ? pairs->u.ints[i] : top;
  }
  return top;
}

static int64_t sharding_devices(const sp_sharding *const *list, uint32_t n) {
  int64_t most = 1;
  for (uint32_t i = 0; list && i < n; i++) {
    if (list[i] && list[i]->kind == SP_SHARDING_TILED &&
        list[i]->n_devices > most) {
      most = list[i]->n_devices;
    }
  }
  return most;
}

/* Partitions that the module's shardings are about. */
static int64_t sharded_over(const hlo_module *m) {
  int64_t most = sharding_devices(m->param_shardings, m->n_param_shardings);
  int64_t n = sharding_devices(m->result_shardings, m->n_result_shardings);
  most = n > most ? n : most;
  const hlo_computation *entry = &m->computations[m->entry];
  for (uint32_t k = 0; k < entry->n_instrs; k++) {
    n = sharding_devices(entry->instrs[k].shardings,
                         entry->instrs[k].n_shardings);
    most = n > most ? n : most;
  }
  return most;
}

void spi_devices_infer(hlo_lower *lw) {
  const hlo_module *m = lw->m;
  lw->replicas = m->replicas ? m->replicas : 1;
  lw->partitions = m->partitions ? m->partitions : 1;
  if (lw->replicas > 1 && lw->partitions > 1) {
    sp_raise(lw->ctx, SP_ERR_UNKNOWN, (sp_loc){.file = m->file},
             "compile with one replica and use partitions only",
             "a module with %lld replicas of %lld partitions is not modelled",
             (long long)lw->replicas, (long long)lw->partitions);
  }
  if (m->replicas || m->partitions) {
    return;
  }
  int64_t replicas = 1, partitions = sharded_over(m);
  const hlo_instr *last = NULL;
  for (uint32_t i = 0; i < m->n_computations; i++) {
    for (uint32_t k = 0; k < m->computations[i].n_instrs; k++) {
      const hlo_instr *in = &m->computations[i].instrs[k];
      const collective *c = collective_find(in->opcode, true);
      int64_t n = c ? largest_id(in) + 1 : 0;
      if (n <= 1) {
        continue;
      }
      if (n > HLO_MAX_DEVICES) {
        spi_lower_fail(lw, in, NULL, "there are more than %d devices",
                       HLO_MAX_DEVICES);
      }
      hlo_group_mode mode = group_mode(lw, in, c);
      bool by_replica = mode == HLO_GROUPS_REPLICAS || mode == HLO_GROUPS_BOTH;
      int64_t *count = by_replica ? &replicas : &partitions;
      *count = n > *count ? n : *count;
      last = in;
    }
  }
  if (replicas > 1 && partitions > 1) {
    spi_lower_fail(lw, last,
                   "num_partitions or replica_count in the header would say",
                   "it is not clear whether the groups list replicas or "
                   "partitions");
  }
  lw->replicas = replicas;
  lw->partitions = partitions;
}

/* range 1 means that the only id stands for each device by itself. */
static void pairs_resolve(hlo_lower *lw, const hlo_instr *in, int64_t range,
                          hlo_attrs *a) {
  const sp_attr *pairs = spi_instr_attr(in, "source_target_pairs");
  if (!pairs) {
    return;
  }
  int64_t devices = lw->replicas * lw->partitions;
  sp_mark mark = sp_scratch_mark(lw->ctx);
  uint8_t *seen = sp_scratch(lw->ctx, (size_t)range);
  memset(seen, 0, (size_t)range);
  for (size_t i = 0; i < pairs->n; i++) {
    int64_t id = pairs->u.ints[i];
    uint8_t side = i % 2 ? 2 : 1;
    if (id < 0 || id >= range || (seen[id] & side)) {
      spi_lower_fail(lw, in, "each device may be source once and target once",
                     "source_target_pairs: device %lld is out of range or "
                     "repeated (there are %lld)",
                     (long long)id, (long long)range);
    }
    seen[id] = (uint8_t)(seen[id] | side);
  }
  sp_scratch_release(lw->ctx, mark);
  if (range == devices || pairs->n == 0) {
    return;
  }
  int64_t *ids = sp_alloc_n(lw->ctx, 2 * (size_t)devices, sizeof *ids);
  for (int64_t i = 0; i < 2 * devices; i++) {
    ids[i] = i / 2;
  }
  spi_attrs_set(lw, a,
                (sp_attr){.name = "source_target_pairs",
                          .kind = SP_ATTR_INTS,
                          .u.ints = ids,
                          .n = 2 * (size_t)devices});
}

void spi_devices_resolve(hlo_lower *lw, const hlo_instr *in, const char *opcode,
                         hlo_attrs *a) {
  const collective *c = collective_find(opcode, false);
  hlo_group_mode mode = group_mode(lw, in, c);
  if (strcmp(opcode, "collective-permute") == 0) {
    int64_t range = mode == HLO_GROUPS_REPLICAS ? lw->replicas
                    : mode == HLO_GROUPS_PARTITIONS
                        ? lw->partitions
                        : lw->replicas * lw->partitions;
    pairs_resolve(lw, in, range, a);
    return;
  }
  const sp_attr *raw = spi_instr_attr(in, "replica_groups");
  const sp_groups *g =
      hlo_groups_resolve(lw->ctx, lw->nt, raw ? raw->u.groups : NULL, mode,
                         lw->replicas, lw->partitions, in->pos.dump);
  spi_attrs_set(lw, a,
                (sp_attr){.name = "replica_groups",
                          .kind = SP_ATTR_GROUPS,
                          .u.groups = g});
}
