// There is no driver to check against: none, a stub, or one without its kernel module. Reported only once,
// here.
// SPDX-License-Identifier: Apache-2.0

#include "judge/driver_questions.hpp"
#include "judge/entry_fit.hpp"
#include "judge/fixes.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/toolkit_questions.hpp"
#include "model/file_names.hpp"

namespace ptxguard {
namespace {

bool usable(const Driver& driver) { return has_level(driver) && (driver.declared || driver.trouble.empty()); }

// The driver that was released with this toolkit is the best example.
std::string example(const Scenario& scenario, const Facts& facts) {
    const Toolkit* toolkit = toolkit_of_build(scenario);
    Known<Version> version = toolkit ? release_of(*toolkit) : Known<Version>{};
    const CudaRelease* release = version ? facts.cuda(*version) : nullptr;
    bool windows = scenario.system == System::windows;
    if (release && windows && release->driver_of_release_windows)
        return release->driver_of_release_windows->text;
    if (release && !windows && release->driver_of_release_linux)
        return release->driver_of_release_linux->text;
    return windows ? "551.61" : "550.54.14";
}

std::vector<std::string> what_is_there(const Scenario& scenario) {
    std::vector<std::string> words;
    for (const Driver& driver : scenario.drivers) {
        std::string where = driver.libcuda.empty() ? name_of(driver) : driver.libcuda;
        if (driver.stub)
            words.push_back(SAY("{} is the toolkit's stub", where));
        else if (!driver.trouble.empty())
            words.push_back(driver.trouble);
        else
            words.push_back(SAY("{} has no known version", where));
    }
    return words;
}

constexpr const char* k_give_compute = "start the container with NVIDIA_DRIVER_CAPABILITIES=compute,utility";

std::string give_gpus(const Scenario& scenario) {
    return scenario.apptainer
               ? "start the container with its GPUs: apptainer exec --nv (singularity exec --nv)"
               : "start the container with its GPUs: docker run --gpus all";
}

// A kernel module whose libcuda.so.1 no program finds: a container gets both from its host.
bool is_kernel_only(const Driver& driver) {
    return !driver.declared && driver.kernel && driver.libcuda.empty() && driver.jit.empty();
}

Fix libraries_fix(const Scenario& scenario, const Driver& driver) {
    if (scenario.container.empty())
        return by_hand(SAY("install the libraries of driver {}", driver.kernel->text));
    return by_hand(driver.device_files ? k_give_compute : give_gpus(scenario));
}

void judge_kernel_only(const Scenario& scenario, const Driver& driver, Findings& findings) {
    const bool container = !scenario.container.empty(), required = scenario.requires_("driver");
    const Level level = required ? Level::error : driver.device_files ? Level::warning : Level::unknown;
    Composed finding = add(
        findings, "CC210", level, "driver",
        container
            ? SAY("the kernel module of driver {} is loaded, but there is no libcuda.so.1 in this container",
                  driver.kernel->text)
            : SAY("the kernel module of driver {} is loaded, but there is no libcuda.so.1",
                  driver.kernel->text));
    finding.found("driver", SAY("kernel module {}", driver.kernel->text), driver.kernel.origin)
        .expected("driver", "libcuda.so.1 of that driver", {})
        .because(!container            ? "programs load the driver's library, not its kernel module"
                 : driver.device_files ? "the GPU's device files are here, and the driver's libraries were "
                                         "not mounted (CUDA error 35)"
                                       : "the container was given no GPU (CUDA error 35)")
        .required(required)
        .fix(libraries_fix(scenario, driver));
    if (level == Level::unknown) finding.decide(finding->fix.front().text);
}

bool lists(const std::string& capabilities, const std::string& one) {
    return contains(split(capabilities, ","), one);
}

// NVIDIA's container runtime mounts only the parts of the driver that the container's capabilities name.
bool judge_capabilities(const Scenario& scenario, Findings& findings) {
    const Known<std::string>& named = scenario.capabilities;
    if (!named || lists(*named, "compute") || lists(*named, "all") || !scenario.drivers.empty()) return false;
    const bool used = any_of(scenario.expectations, [](const Expectation& one) {
        return one.may_use_cuda() && (one.version || !one.path.empty());
    });
    const bool required = used || scenario.requires_("driver");
    add(findings, "CC210", required ? Level::error : Level::warning, "driver",
        SAY("this container gets no libcuda.so.1: NVIDIA_DRIVER_CAPABILITIES={} leaves out compute", *named))
        .found("NVIDIA_DRIVER_CAPABILITIES", *named, named.origin)
        .expected("NVIDIA_DRIVER_CAPABILITIES", "compute,utility", {})
        .because(
            "the container runtime mounts the libraries of the named capabilities only: 'libcuda.so.1: "
            "cannot open shared object file', although nvidia-smi runs")
        .by_hand(
            "start the container with NVIDIA_DRIVER_CAPABILITIES=compute,utility (in compose files: "
            "capabilities [gpu, compute, utility])");
    return true;
}

bool is_installed_for_cuda(const Expectation& one) { return one.may_use_cuda() && !one.path.empty(); }

// A container that was started, in which a framework is to use a GPU. A build needs no driver, and the driver
// of an image comes when it is started.
bool needs_libcuda_here(const Scenario& scenario) {
    return !scenario.container.empty() && (scenario.container_runs || scenario.nvml_only) &&
           !scenario.project.requested && !scenario.gpus.empty() &&
           any_of(scenario.expectations, is_installed_for_cuda) &&
           all_of(scenario.drivers,
                  [](const Driver& driver) { return is_kernel_only(driver) && !driver.device_files; });
}

bool judge_container(const Scenario& scenario, const Facts& facts, Findings& findings) {
    if (!needs_libcuda_here(scenario)) return false;
    const bool required = scenario.requires_("driver");
    const Known<std::string>& nvml = scenario.nvml_only;
    Composed finding =
        add(findings, "CC210", required ? Level::error : Level::warning, "driver",
            nvml ? SAY("there is no libcuda.so.1 in this container, although {} is", file_of(*nvml))
                 : SAY("there is no libcuda.so.1 in this container ({}): it was given no GPU",
                       scenario.container));
    if (nvml)
        finding.found("driver", *nvml, nvml.origin);
    else
        finding.found("container", scenario.container, {});
    finding.expected("driver", "libcuda.so.1 of the host's driver", {})
        .because(nvml ? "the container has the driver's capability utility without compute: nvidia-smi runs, "
                        "and every CUDA program lacks libcuda.so.1 (CUDA error 35)"
                      : "frameworks find no driver (CUDA error 35)")
        .by_hand(nvml ? k_give_compute : give_gpus(scenario))
        .decide(SAY("the driver of the machines that run this: --driver {}", example(scenario, facts)))
        .required(required);
    return true;
}

// The driver's files are here, and the kernel that runs has no module to load.
bool judge_kernel_module(const Scenario& scenario, Findings& findings) {
    const auto* without =
        first_where(scenario.drivers, [](const Driver& driver) { return driver.no_module; });
    if (!without) return false;
    const bool required = scenario.requires_("driver");
    const std::string& kernel = *without->no_module;
    add(findings, "CC210", required ? Level::error : Level::warning, without->libcuda,
        SAY("the running kernel {} has no nvidia module: only {} has one", kernel, without->module_of))
        .about(scenario, *without)
        .found("kernel", kernel, without->no_module.origin)
        .expected("kernel", SAY("one with the module of {}", name_of(*without)), {})
        .because(
            "the module is not loaded (no /proc/driver/nvidia): 'modprobe: FATAL: Module nvidia not found', "
            "and cuInit finds no driver or device (CUDA error 35 or 100)")
        .by_hand(
            SAY("build the module for {}: install its kernel headers, then sudo dkms autoinstall", kernel))
        .by_hand(SAY("start {} instead", without->module_of))
        .required(required);
    return true;
}

// Without it the switches do not start, and no GPU behind them.
void judge_fabric_manager(const Scenario& scenario, Findings& findings) {
    for (const Driver& driver : scenario.drivers) {
        if (!driver.fabric_manager || !driver.kernel || driver.declared) continue;
        const std::string other = driver.fabric_manager->text, own = driver.kernel->text;
        add(findings, "CC210", Level::error, SAY("fabric manager of {}", name_of(driver)),
            SAY("the fabric manager is {}, and the driver {}", other, own))
            .about(scenario, driver)
            .found("fabric manager", other, driver.fabric_manager.origin)
            .expected("fabric manager", own, driver.kernel.origin)
            .because(
                "it does not start with a driver of another release, and without it GPUs behind NVSwitch "
                "are not initialized: 'system not yet initialized' (CUDA error 802)")
            .by_hand(SAY("install nvidia-fabricmanager {}, and restart its service", own));
    }
}

// The drivers that are no use, else the GPUs that are here without one.
std::vector<Evidence> what_was_found(const Scenario& scenario) {
    std::vector<Evidence> found;
    for (const Driver& driver : scenario.drivers)
        found.push_back({"driver", driver.trouble.empty() ? "unusable" : driver.trouble, driver.origin});
    if (found.empty())
        for (const Gpu& gpu : scenario.gpus)
            if (!gpu.declared) found.push_back(evidence_of(gpu));
    return found;
}

void say_unusable(const Scenario& scenario, const Facts& facts, bool declared, Findings& findings) {
    const bool none = scenario.drivers.empty(), required = scenario.requires_("driver");
    const bool no_gpu_given = none && !scenario.container.empty() && !scenario.foreign;
    const Composed finding =
        add(findings, "CC210", required ? Level::error : Level::unknown, "driver",
            none ? "no driver found" : SAY("no usable driver: {}", what_is_there(scenario)));
    finding.found(what_was_found(scenario))
        .because(any_of(scenario.drivers, has_level)
                     ? "its files contain its version, but it cannot run anything here"
                     : "the PTX (CC202) and the CUDA release (CC208) are compared with no driver")
        .required(required || declared);
    if (none && !finding->found.empty())
        finding->message += SAY(", although {} is here", finding->found.front().value);
    if (no_gpu_given) {
        finding->message += SAY(": this container ({}) was given no GPU", scenario.container);
        finding.decide(give_gpus(scenario));
        if (required) finding.by_hand(give_gpus(scenario));
    }
    finding.decide(SAY("the driver of the machines that run this: --driver {}", example(scenario, facts)));
    if (scenario.system != System::windows)
        finding.decide("a folder with that driver's libnvidia-ptxjitcompiler.so.1: --driver-libs DIR");
    if (required)
        finding.by_hand(SAY("name the driver of the machines that run this: --driver {}, or install one",
                            example(scenario, facts)));
}

void judge_driver_files(const Scenario& scenario, const Facts& facts, Findings& findings) {
    const std::vector<Driver>& drivers = scenario.drivers;
    if (judge_capabilities(scenario, findings) || judge_container(scenario, facts, findings)) return;
    const auto* only = first_where(drivers, is_kernel_only);
    const bool declared = any_of(drivers, [](const Driver& driver) { return driver.declared; });
    if (only && !declared) return judge_kernel_only(scenario, *only, findings);
    if (!declared && judge_kernel_module(scenario, findings)) return;
    if (none_of(drivers, usable)) say_unusable(scenario, facts, declared, findings);
}

// The driver's library is here, and programs that open it by its name do not find it.
void judge_unsearched(const Scenario& scenario, Findings& findings) {
    for (const Driver& driver : scenario.drivers) {
        if (!driver.unsearched || driver.declared) continue;
        const std::string folder = folder_of(driver.libcuda);
        add(findings, "CC210", Level::warning, driver.libcuda,
            SAY("programs do not find libcuda.so.1: {} is not in ld.so.cache", folder))
            .about(scenario, driver)
            .found("libcuda.so.1", driver.libcuda, driver.origin)
            .expected("ld.so.cache", folder, {})
            .because(
                "CUDA's runtime and frameworks open libcuda.so.1 by its name: error 35, or 'no CUDA-capable "
                "device is detected'")
            .fix(Fix{FixKind::command,
                     SAY("echo {} | sudo tee /etc/ld.so.conf.d/nvidia-driver.conf && sudo ldconfig", folder)})
            .fix(prepend_list_entry("LD_LIBRARY_PATH", folder, scenario.system));
    }
}

// Libraries of NVIDIA's wheels have no search list, unlike what NixOS builds.
void judge_nixos(const Scenario& scenario, Findings& findings) {
    const auto* driver =
        first_where(scenario.drivers, [](const Driver& one) { return one.of_nixos && !one.declared; });
    const auto* wheel = first_where(scenario.expectations, [](const Expectation& one) {
        return is_installed_for_cuda(one) && one.how == Installation::wheel &&
               !starts_with(one.path, "/nix/store/");
    });
    if (!driver || !wheel) return;
    const std::string folder = folder_of(driver->libcuda);
    add(findings, "CC210", Level::warning, driver->libcuda,
        SAY("{} does not find libcuda.so.1: no loader searches {}", wheel->framework, folder))
        .about(scenario, *driver)
        .found("libcuda.so.1", driver->libcuda, driver->origin)
        .expected("LD_LIBRARY_PATH", folder, {})
        .because(
            "only programs that NixOS builds have this folder in their search list, and a wheel does not: "
            "error "
            "35, or 'Found no NVIDIA driver on your system'")
        .fix(prepend_list_entry("LD_LIBRARY_PATH", folder, scenario.system));
}

// A named driver that is newer than all tables and cannot be run.
void judge_named_drivers(const Scenario& scenario, const Facts& facts, Findings& findings) {
    for (const Driver& driver : scenario.drivers) {
        if (!driver.declared || !is_beyond_the_table(facts, driver)) continue;
        Composed finding = add(findings, "CC210", Level::unknown, name_of(driver),
                               SAY("{} is newer than every driver in the tables", name_of(driver)));
        finding.about(scenario, driver)
            .about(ids_of(scenario, gpus_judged(scenario)))
            .found("driver", version_of(driver)->text, driver.origin)
            .because("what it runs beyond the newest listed one, and which GPUs, is not known")
            .decide("a newer table of drivers: --facts DIR")
            .required();
        if (scenario.system == System::linux_)
            finding->decide.insert(
                finding->decide.begin(),
                "a folder with that driver's libnvidia-ptxjitcompiler.so.1: --driver-libs DIR");
    }
}

// The driver was asked, and shows this process no GPU, although the machine has one.
void judge_hidden_gpus(const Scenario& scenario, Findings& findings) {
    const auto* blind = first_where(
        scenario.drivers, [](const Driver& driver) { return !driver.declared && driver.no_device; });
    std::vector<std::string> hidden;
    for (const Gpu& gpu : scenario.gpus)
        if (!gpu.declared || scenario.foreign) add_once(hidden, name_of(gpu));
    if (!blind || hidden.empty()) return;
    const bool required = scenario.requires_("gpu");
    const Known<std::string>& by = blind->shows_gpus;
    Composed finding =
        add(findings, "CC210", required ? Level::error : Level::warning, "hidden GPUs",
            by ? SAY("programs do not see {}: {}", hidden, *by) : SAY("programs do not see {}", hidden));
    finding.found("GPUs", list(hidden), scenario.gpus.front().origin)
        .expected("GPUs", "one that cuInit finds", blind->origin)
        .because(scenario.foreign
                     ? "its first entry is no GPU of this machine, which ends the list (CUDA error 100)"
                     : "cuInit finds no GPU that this process may use (CUDA error 100 or 101)")
        .required(required);
    if (by) finding.found("variable", *by, by.origin);
    if (by)
        finding.fix(unset_variable("CUDA_VISIBLE_DEVICES", scenario.system));
    else
        finding.by_hand(scenario.container.empty() ? "allow this process the device files /dev/nvidia*"
                                                   : give_gpus(scenario));
}

// CC002 reports it already.
bool said_unreadable(const Scenario& scenario, const Gpu& gpu) {
    return any_of(scenario.unreadable, [&](const Unreadable& unreadable) {
        return unreadable.origin.variable == "--gpu" && unreadable.subject == SAY("--gpu {}", gpu.name);
    });
}

void judge_gpus(const Scenario& scenario, const Facts& facts, Findings& findings) {
    bool any_known = false;
    for (const Gpu& gpu : scenario.gpus) {
        any_known = any_known || gpu.arch;
        const bool listed = gpu.arch && facts.arch(Arch{gpu.arch->number, 0});
        if (listed || !gpu.declared || said_unreadable(scenario, gpu)) continue;
        add(findings, "CC210", Level::unknown, SAY("GPU {}", gpu.name),
            gpu.arch ? SAY("no table lists a GPU of compute capability {}", gpu.arch->cc())
                     : SAY("GPU '{}' is in no table, or the name fits several", gpu.name))
            .about(scenario, gpu)
            .about(ids_of(scenario, drivers_concerned(scenario)))
            .found("GPU", gpu.name, gpu.origin)
            .because(gpu.arch ? "which drivers and compilers support it is not known"
                              : "without its compute capability, the code that it runs is not known")
            .decide(gpu.arch ? "newer tables: --facts DIR" : "its compute capability: --gpu 8.6")
            .required();
    }
    if (!scenario.requires_("gpu") || any_known) return;
    add(findings, "CC210", Level::error, "GPU", "no GPU found")
        .because("a GPU is required")
        .decide("the GPUs of the machines that run this: --gpu 8.6,9.0")
        .by_hand("name the GPUs of the machines that run this: --gpu 8.6,9.0")
        .required();
}

}  // namespace

PTXGUARD_RULE(CC210) {
    if (scenario.source != SourceKind::machine) return;
    judge_driver_files(scenario, facts, findings);
    judge_unsearched(scenario, findings);
    judge_nixos(scenario, findings);
    judge_fabric_manager(scenario, findings);
    judge_named_drivers(scenario, facts, findings);
    judge_gpus(scenario, facts, findings);
    judge_hidden_gpus(scenario, findings);
}

}  // namespace ptxguard
